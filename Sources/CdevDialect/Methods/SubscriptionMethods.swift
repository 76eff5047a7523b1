import JSON
import RPC
import WSFanout

/// `workspace/subscribe`, `workspace/unsubscribe`, `workspace/subscriptions` and `workspace/subscribeAll`. They select
/// the workspaces from which a client receives events. The client's position in the log does not change.
enum SubscriptionMethods {
    static let all = [subscribe, unsubscribe, subscriptions, subscribeAll]

    static let subscribe = CdevMethod.immediate(
        "workspace/subscribe",
        "Narrows the stream to this workspace and those before.",
        [.workspaceID],
        as: changed
    ) { call throws(RPCError) in
        let id = try call.params.workspaceID()
        try call.stream.add(id)
        return answer(&call, id)
    }

    /// The end of the last subscription also ends the filter, as in cdev.
    static let unsubscribe = CdevMethod.immediate(
        "workspace/unsubscribe",
        "Takes a workspace out; without any, all events come.",
        [.workspaceID],
        as: changed
    ) { call throws(RPCError) in
        let id = try call.params.workspaceID()
        call.stream.remove(id)
        return answer(&call, id)
    }

    static let subscriptions = CdevMethod.immediate(
        "workspace/subscriptions",
        "The workspaces that the stream is narrowed to.",
        as: ObjectShape<[String]>("SubscriptionList") { it in
            it.member("workspaces") { $0 }
            it.member("is_filtering") { !$0.isEmpty }
            it.member("count") { $0.count }
        }
    ) { call in call.stream.subscribed }

    static let subscribeAll = CdevMethod.immediate(
        "workspace/subscribeAll",
        "All events come again.",
        as: changed
    ) { call in
        call.stream.removeAll()
        return answer(&call, nil)
    }

    private typealias Change = (workspaceID: String?, subscribed: [String])

    private static let changed = ObjectShape<Change>("Subscriptions") { it in
        it.member("success") { _ in true }
        it.member("workspace_id") { $0.workspaceID }
        it.member("subscribed") { $0.subscribed }
    }

    private static func answer(_ call: inout CdevCall, _ workspaceID: String?) -> Change {
        call.act(.refilter(call.stream.filter, transport: call.stream.transport))
        return (workspaceID, call.stream.subscribed)
    }
}
