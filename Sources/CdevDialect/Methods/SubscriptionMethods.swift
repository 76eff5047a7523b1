import JSON
import RPC
import WSFanout

/// `workspace/subscribe`, `workspace/unsubscribe`, `workspace/subscriptions`, `workspace/subscribeAll`: which
/// workspaces' events a client gets. Its place in the log stays.
enum SubscriptionMethods {
    static let all = [subscribe, unsubscribe, subscriptions, subscribeAll]

    static let subscribe = RPCMethod.immediate(
        "workspace/subscribe",
        RPCDescription("Narrows the stream to this workspace and those before.", [.workspaceID], as: "Subscriptions")
    ) { call throws(RPCError) in
        let id = try call.params.workspaceID()
        try call.stream.add(id)
        return answer(&call, id)
    }

    /// With the last one the filter ends, as in cdev.
    static let unsubscribe = RPCMethod.immediate(
        "workspace/unsubscribe",
        RPCDescription("Takes a workspace out; without any, all events come.", [.workspaceID], as: "Subscriptions")
    ) { call throws(RPCError) in
        let id = try call.params.workspaceID()
        call.stream.remove(id)
        return answer(&call, id)
    }

    static let subscriptions = RPCMethod.immediate(
        "workspace/subscriptions",
        RPCDescription("The workspaces that the stream is narrowed to.", as: "SubscriptionList")
    ) { call in
        let subscribed = call.stream.subscribed
        return RPCResult { writer in
            writer.strings("workspaces", subscribed)
            writer.field("is_filtering", !subscribed.isEmpty)
            writer.field("count", subscribed.count)
        }
    }

    static let subscribeAll = RPCMethod.immediate(
        "workspace/subscribeAll",
        RPCDescription("All events come again.", as: "Subscriptions")
    ) { call in
        call.stream.removeAll()
        return answer(&call, nil)
    }

    private static func answer(_ call: inout RPCCall, _ workspaceID: String?) -> RPCResult {
        call.act(.refilter(call.stream.filter, transport: call.stream.transport))
        let subscribed = call.stream.subscribed
        return RPCResult { writer in
            writer.field("success", true)
            writer.field("workspace_id", workspaceID)
            writer.strings("subscribed", subscribed)
        }
    }
}
