package import EventModel
internal import JSON

/// The content of an event of type `transcript`, which tells that a transcript has grown.
package struct TranscriptGrowth: Sendable {
    /// Marks that an event keeps, the newest.
    static let keptMarks = 200
    /// Seconds after which a message is history when it arrives, and is not told as news.
    static let newsSeconds = 86_400.0

    /// Claude Code's own session id.
    package var sessionID: String
    /// The marks of the newest messages among the lines, including messages that hooks have told.
    package var marks: Set<MessageMark>
    /// Whether the lines hold messages of the main agent that are told live.
    package var isNews: Bool

    /// Returns `nil` for other events.
    package init?(_ committed: CommittedEvent) {
        let event = committed.event
        guard event.type == .transcript, let payload = try? JSONValue.parse(event.payload),
            let session = event.sessionID
        else { return nil }
        sessionID = payload["session_id"]?.string ?? session
        marks = Set((payload["marks"]?.array ?? []).compactMap { $0.string.flatMap(MessageMark.init(_:)) })
        isNews =
            payload["messages"]?.integer ?? 0 > 0 && event.facts.agentID == nil
            && TranscriptGrowth.isNews(event.timestamp, receivedAt: event.receivedAt)
    }

    static func isNews(_ time: Timestamp, receivedAt: Timestamp) -> Bool {
        receivedAt.seconds(since: time) < newsSeconds
    }
}
