internal import EventModel

/// A change of the outbox that an event requires.
enum NotificationAction: Sendable, Equatable {
    case raise(Notification)
    case withdraw(Withdrawal)
    /// The prompt is shown to a person. Deliveries that wait for this confirmation are released.
    case confirm(promptKey: String)
    /// The session's state for its Live Activity has changed.
    case updateActivity(ActivityState)
}

/// Notices with this prompt key must no longer be sent.
struct Withdrawal: Sendable, Equatable {
    var promptKey: String
    var reason: WithdrawalReason
    var at: Timestamp
    /// Silently replaces the notice on devices that received one for this prompt. Has the same key for all prompts of
    /// a kind that one event withdraws. `nil` if another notice replaces the sent one, or if that is too old.
    var resolved: Notification?
}

enum WithdrawalReason: String, Sendable, CaseIterable {
    case answeredElsewhere = "answered_elsewhere"
    /// The tool ran so soon after the request that no person can have answered.
    case autoApproved = "auto_approved"
    case turnWentOn = "turn_went_on"
    case sessionEnded = "session_ended"
    /// The "finished" notice covers it.
    case merged
    /// The session has more open prompts than are kept.
    case forgotten
    /// The machine's approvals file says that devices are not notified.
    case silencedByMachine = "silenced_by_machine"

    /// A newer server may have stored a reason that this one does not know.
    init(stored: String) { self = WithdrawalReason(rawValue: stored) ?? .answeredElsewhere }

    /// The code in decisions.
    var code: PushCode {
        switch self {
        case .answeredElsewhere: .answeredElsewhere
        case .autoApproved: .autoApproved
        case .turnWentOn: .turnWentOn
        case .sessionEnded: .sessionEnded
        case .merged: .merged
        case .forgotten: .forgotten
        case .silencedByMachine: .silencedByMachine
        }
    }
}
