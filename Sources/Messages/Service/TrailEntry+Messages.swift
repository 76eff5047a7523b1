internal import Audit
internal import EventModel
internal import JSON

/// What the chain records of messages.
extension TrailEntry {
    /// - Parameter text: what the content policy keeps of it.
    static func sent(_ message: SessionMessage, text: String?) -> TrailEntry {
        TrailEntry("message:\(message.id):\(message.state.rawValue)", message.queuedAt, message.sessionID) { writer in
            var shown = message
            shown.text = text
            writer.field("action", "\(message.kind.rawValue).\(message.state.rawValue)")
            writer.key("message")
            SessionMessage.shape.write(shown, to: &writer)
        }
    }
}
