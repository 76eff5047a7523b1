public import EventModel
import JSON
public import WSFanout

extension PresenceNotice {
    /// The notification as a WebSocket text frame. It has no place in the log.
    public func frame(at time: Timestamp) -> [UInt8] {
        let name = kind == .joined ? "session_joined" : "session_left"
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("jsonrpc", "2.0")
        writer.field("method", "event/\(name)")
        writer.beginObject("params")
        writer.field("event", name)
        writer.field("timestamp", time.description)
        writer.field("workspace_id", place.workspaceID)
        writer.field("session_id", place.sessionID)
        writer.field("agent_type", "claude")
        writer.beginObject("payload")
        switch kind {
        case .joined:
            writer.field("joining_client_id", clientID)
            writer.strings("other_viewers", others)
            writer.field("viewer_count", others.count + 1)
        case .left:
            writer.field("leaving_client_id", clientID)
            writer.strings("remaining_viewers", others)
            writer.field("viewer_count", others.count)
        }
        writer.endObject()
        writer.endObject()
        writer.endObject()
        return WebSocketFrame.text(writer.bytes)
    }
}
