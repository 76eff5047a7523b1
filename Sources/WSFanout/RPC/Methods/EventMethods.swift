import EventModel
import JSON

/// `event/subscribe`, `event/unsubscribe`.
enum EventMethods {
    static let all = [subscribe, unsubscribe]

    /// Replaces the running subscription. The first event after the answer is the first one after the answered `seq`.
    static let subscribe = RPCMethod.immediate("event/subscribe") { call throws(RPCError) in
        let filter = try filter(call.params)
        let window = call.context.window
        let start = window.resolve(try resumePoint(call.params))
        call.act(.subscribe(filter, after: start.position))
        return RPCResult { writer in
            writer.field("epoch", start.position.epoch)
            writer.field("seq", start.position.seq)
            writer.field("recovered", start.recovered as Bool?)
            writer.field("head", window.head)
        }
    }

    static let unsubscribe = RPCMethod.immediate("event/unsubscribe") { call in
        call.act(.unsubscribe)
        return .empty
    }

    private static func filter(_ params: RPCParams) throws(RPCError) -> EventFilter {
        let types = try params.strings("types", count: 1...64)
        return EventFilter(
            workspaceID: try params.string("workspace_id"),
            sessionID: try params.string("session_id"),
            types: types.map { Set($0.map { EventType(sent: $0) }) }
        )
    }

    private static func resumePoint(_ params: RPCParams) throws(RPCError) -> ResumePoint? {
        guard let since = try params.object("since") else { return nil }
        guard let seq = try since.integer("seq", in: 0...Int64.max) else {
            throw .invalidParameter("since.seq", "is missing")
        }
        return ResumePoint(epoch: try since.string("epoch"), seq: seq)
    }
}
