package import EventModel
import JSON
package import WSFanout

extension PresenceNotice {
    /// The notification as a WebSocket text frame. It has no place in the log.
    package func frame(at time: Timestamp) -> [UInt8] {
        let shape = kind == .joined ? PresenceNotice.joined : PresenceNotice.left
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("jsonrpc", "2.0")
        writer.field("method", kind == .joined ? "event/session_joined" : "event/session_left")
        writer.key("params")
        shape.write((self, time), to: &writer)
        writer.endObject()
        return WebSocketFrame.text(writer.bytes)
    }

    typealias Told = (notice: PresenceNotice, time: Timestamp)

    static let joined = ObjectShape<Told>("SessionJoined") { it in
        describe(&it, as: "session_joined") { it in
            it.member("joining_client_id") { $0.notice.clientID }
            it.member("other_viewers") { $0.notice.others }
            it.member("viewer_count") { $0.notice.others.count + 1 }
        }
    }

    static let left = ObjectShape<Told>("SessionLeft") { it in
        describe(&it, as: "session_left") { it in
            it.member("leaving_client_id") { $0.notice.clientID }
            it.member("remaining_viewers") { $0.notice.others }
            it.member("viewer_count") { $0.notice.others.count }
        }
    }

    private static func describe(
        _ it: inout ObjectShape<Told>,
        as name: String,
        payload: (inout ObjectShape<Told>) -> Void
    ) {
        it.constant("event", name)
        it.member("timestamp") { $0.time }
        it.member("workspace_id") { $0.notice.place.workspaceID }
        it.member("session_id") { $0.notice.place.sessionID }
        it.constant("agent_type", "claude")
        it.object("payload", payload)
    }
}
