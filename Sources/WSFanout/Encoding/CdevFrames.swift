import EventModel
import JSON
import Sessions

/// An event's notifications for clients that speak cdev: the derived ones, then the event itself, or in its place the
/// derived one of its name. All carry the event's place in the log; those that are not the last say `more`, for the
/// place is reached with the last.
enum CdevFrames {
    /// `plain` is the event's own frame.
    static func of(
        _ committed: CommittedEvent,
        _ news: PromptNews,
        epoch: String,
        plain: [UInt8]
    ) -> [UInt8] {
        let derived = DerivedEvents.of(committed, news)
        guard let last = derived.last else { return plain }
        let replacesPlain = last.name == committed.event.type.rawValue
        var frames: [UInt8] = []
        for (index, event) in derived.enumerated() {
            let isLast = replacesPlain && index == derived.count - 1
            let payload = notification(event, committed, epoch, hasMore: !isLast)
            WebSocketFrame.appendTextHeader(payloadLength: payload.count, to: &frames)
            frames.append(contentsOf: payload)
        }
        if !replacesPlain { frames.append(contentsOf: plain) }
        return frames
    }

    private static func notification(
        _ derived: DerivedEvent,
        _ committed: CommittedEvent,
        _ epoch: String,
        hasMore: Bool
    ) -> [UInt8] {
        let event = committed.event
        var writer = JSONWriter(reserving: derived.payload.count + 400)
        writer.beginObject()
        writer.field("jsonrpc", "2.0")
        writer.field("method", "event/\(derived.name)")
        writer.beginObject("params")
        writer.field("event", derived.name)
        writer.field("seq", committed.seq)
        writer.field("epoch", epoch)
        if hasMore { writer.field("more", true) }
        writer.field("timestamp", event.timestamp.description)
        writer.field("workspace_id", committed.workspaceID ?? "")
        writer.field("session_id", event.sessionID ?? "")
        writer.field("agent_type", "claude")
        writer.field("payload", json: derived.payload)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}
