package import EventModel
internal import JSON

/// The content of an event of type `transcript`, which reports that a transcript has grown.
package struct TranscriptGrowth: Sendable {
    /// The maximum number of marks that an event keeps. The newest are kept.
    static let keptMarks = 200
    /// The age in seconds at which an arriving message counts as history and is not reported as news.
    static let newsSeconds = 86_400.0

    /// Claude Code's own session id.
    package var sessionID: String
    /// The marks of the newest messages among the lines, including messages that hooks have reported.
    package var marks: Set<MessageMark>
    /// Whether the lines contain messages of the main agent that are reported live.
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
