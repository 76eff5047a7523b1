internal import EventModel

/// A session as a Live Activity shows it.
struct ActivityState: Sendable, Equatable {
    enum Phase: String, Sendable, CaseIterable {
        case running
        /// For a person.
        case waiting
        case idle
        case error
        case ended
    }

    var place: NotificationPlace
    var phase: Phase
    /// Since when the session is in this phase.
    var since: Timestamp
    /// Prompts that wait.
    var pending = 0
    /// Content: the tool that runs or asks.
    var toolName: String?
    /// Content.
    var sessionTitle: String?
    var at: Timestamp
}
