internal import EventModel

/// The state of a session in a Live Activity.
struct ActivityState: Sendable, Equatable {
    enum Phase: String, Sendable, CaseIterable {
        case running
        /// Waiting for a person.
        case waiting
        case idle
        case error
        case ended
    }

    var place: NotificationPlace
    var phase: Phase
    /// When the session entered this phase.
    var since: Timestamp
    /// Number of waiting prompts.
    var pending = 0
    /// Content: the tool that is running or asks for permission.
    var toolName: String?
    /// Content.
    var sessionTitle: String?
    var at: Timestamp
}
