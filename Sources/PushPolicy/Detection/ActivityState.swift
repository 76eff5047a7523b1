public import EventModel

/// A session as a Live Activity shows it.
public struct ActivityState: Sendable, Equatable {
    public enum Phase: String, Sendable, CaseIterable {
        case running
        /// For a person.
        case waiting
        case idle
        case error
        case ended
    }

    public var place: NoticePlace
    public var phase: Phase
    /// Since when the session is in this phase.
    public var since: Timestamp
    /// Prompts that wait.
    public var pending: Int
    /// Content: the tool that runs or asks.
    public var toolName: String?
    /// Content.
    public var sessionTitle: String?
    public var at: Timestamp

    public init(
        place: NoticePlace,
        phase: Phase,
        since: Timestamp,
        pending: Int = 0,
        toolName: String? = nil,
        sessionTitle: String? = nil,
        at: Timestamp
    ) {
        self.place = place
        self.phase = phase
        self.since = since
        self.pending = pending
        self.toolName = toolName
        self.sessionTitle = sessionTitle
        self.at = at
    }
}
