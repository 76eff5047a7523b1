internal import EventModel

/// What an event asks of the outbox.
enum NotificationAction: Sendable, Equatable {
    case raise(Notification)
    case withdraw(Withdrawal)
    /// The prompt stands before a person: what waits for that to show waits no longer.
    case confirm(promptKey: String)
    /// The session's state for its Live Activity has changed.
    case updateActivity(ActivityState)
}

/// Nothing with this prompt key is to be sent any more.
struct Withdrawal: Sendable, Equatable {
    var promptKey: String
    var reason: WithdrawalReason
    var at: Timestamp
    /// For devices to which a notice of this prompt was really sent: replaces it in silence. The same key for all
    /// prompts of a kind that one event withdraws. `nil`: what was sent is replaced by another notice, or too old.
    var resolved: Notification?
}

enum WithdrawalReason: String, Sendable, CaseIterable {
    case answeredElsewhere = "answered_elsewhere"
    /// The tool ran so soon after the request that nobody can have answered.
    case autoApproved = "auto_approved"
    case turnWentOn = "turn_went_on"
    case sessionEnded = "session_ended"
    /// "Finished" says it as well.
    case merged
    /// More prompts are open than are kept for one session.
    case forgotten

    /// As decisions name it.
    var code: PushCode {
        switch self {
        case .answeredElsewhere: .answeredElsewhere
        case .autoApproved: .autoApproved
        case .turnWentOn: .turnWentOn
        case .sessionEnded: .sessionEnded
        case .merged: .merged
        case .forgotten: .forgotten
        }
    }
}
