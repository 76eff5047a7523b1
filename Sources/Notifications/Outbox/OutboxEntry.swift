internal import EventModel
internal import Sessions

/// A delivery that this server has claimed, with everything on which its decision depends.
struct OutboxEntry: Sendable {
    var id: Int64
    var apnsID: EventID
    /// The key of the notification.
    var key: String
    /// The kind of the notification, or `DeliveryProbe.kind` for a probe.
    var kind: String
    /// `nil` for a probe, and if the stored notification cannot be decoded.
    var notification: Notification?
    var withdrawnBecause: String?
    var expiresAt: Timestamp
    var device: DeviceID
    /// Number of claims, including this one.
    var attempts: Int64
    /// Number of submissions that may have been sent.
    var submissions: Int64
    /// Number of times that the push service requested a later retry.
    var retries: Int64 = 0
    /// The push service rejected it as too large.
    var isTooLarge = false
    /// Why it has waited until now.
    var lastReason: String?
    /// `nil` if the token is no longer registered or its device is not active.
    var token: PushTokenRecord?
    /// The device's offset from UTC in seconds.
    var utcOffsetSeconds: Int64
    /// The project of the notification's session.
    var workspaceID: String?
    /// The machine of the notification's session.
    var machine: MachineID?
    /// When the next waiting notification for the same token that replaces this one is due.
    var newerDueAt: Timestamp?
    /// When the notification's prompt was confirmed to be shown to a person.
    var confirmedAt: Timestamp?
    /// Identifies the preferences that apply to it.
    var preferences: String?
    /// For a digest: how many notifications it summarizes, and from how many sessions.
    var digest: (count: Int64, sessions: Int64)?

    var isProbe: Bool { kind == DeliveryProbe.kind }
    /// The prompt that it asks a person for; `nil` for other pushes.
    var promptID: String? {
        guard let notification, notification.kind.isPrompt, let opening = notification.eventID else { return nil }
        return Prompt.id(opening)
    }
    var isTest: Bool { key.hasPrefix(Notification.testPrefix) }
}

/// A push that was sent or is in progress, as input for rules that limit the number of pushes.
struct SentPush: Sendable, Equatable {
    var device: DeviceID
    var sentAt: Timestamp
    var kind: String
    var sessionID: String?
    var collapseID: String?
    /// Log position of its event.
    var seq: Int64?
    /// The machine of its session.
    var machine: MachineID?
}

struct OutboxClaim: Sendable {
    var pushes: [OutboxEntry] = []
    /// The pushes to those devices, newest first.
    var sent: [SentPush] = []
    var layers: [PushPreferenceLayer] = []
    /// When the budgets of the devices will be full again.
    var budgets: [DeviceID: Timestamp] = [:]
}

/// Whether a claimed delivery may be sent at this moment.
enum DeliveryPermit: Sendable, Equatable {
    case granted
    /// A later event withdrew the notification, it replaces one that was never sent, or its device may not have it any
    /// more.
    case void(PushCode)
    /// Another server has taken the delivery over or is withdrawing it, or it must be composed again by other
    /// preferences.
    case unknown
}

/// A summary of the outbox.
struct OutboxBacklog: Sendable, Equatable {
    var waiting: Int64 = 0
    var claimed: Int64 = 0
    /// When the next delivery or expired claim is due.
    var nextDue: Timestamp?
    /// When the oldest delivery that is due became due.
    var oldestDue: Timestamp?
    /// Deliveries that wait because a push service is unusable or fails repeatedly.
    var heldUp: Int64 = 0
    var tokens: [TokenCount] = []

    struct TokenCount: Sendable, Equatable {
        var kind: String
        var state: String
        var count: Int64
    }
}
