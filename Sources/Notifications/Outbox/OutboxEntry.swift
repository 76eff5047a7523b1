internal import EventModel
internal import Persistence

/// A delivery that this server has claimed, with all that decides about it.
struct OutboxEntry: Sendable {
    var id: Int64
    var apnsID: EventID
    /// Of the notification.
    var key: String
    /// Of the notification; `DeliveryProbe.kind` for a probe.
    var kind: String
    /// `nil` for a probe, and where what is stored cannot be read.
    var notification: Notification?
    var withdrawnBecause: String?
    var expiresAt: Timestamp
    var device: DeviceID
    /// How often it was claimed, this time included.
    var attempts: Int64
    /// How often it was handed over and may have left.
    var submissions: Int64
    /// How often the push service asked for another try later.
    var retries: Int64 = 0
    /// The push service found it too large.
    var isTooLarge = false
    /// Why it waited until now.
    var lastReason: String?
    /// `nil`: the token is not registered any more, or its device is not active.
    var token: PushTokenRecord?
    /// Seconds that the device's clocks are ahead of UTC.
    var utcOffsetSeconds: Int64
    /// The project of the notification's session.
    var workspaceID: String?
    /// When the next notification that waits for the same token, and replaces this one, is due.
    var newerDueAt: Timestamp?
    /// When the notification's prompt was seen to stand before a person.
    var confirmedAt: Timestamp?
    /// Of a digest: how many notifications it stands for, and from how many sessions.
    var digest: (count: Int64, sessions: Int64)?

    var isProbe: Bool { kind == DeliveryProbe.kind }
    var isTest: Bool { key.hasPrefix(Notification.testPrefix) }
}

/// A push that went out, or is under way, as rules that bound their number look at it.
struct SentPush: Sendable, Equatable {
    var device: DeviceID
    var sentAt: Timestamp
    var kind: String
    var sessionID: String?
    var collapseID: String?
    /// Place of the event behind it.
    var seq: Int64?
}

struct OutboxClaim: Sendable {
    var pushes: [OutboxEntry] = []
    /// Of the devices of those pushes, the newest first.
    var sent: [SentPush] = []
    var layers: [PushPreferenceLayer] = []
    /// When their budgets are whole again.
    var budgets: [DeviceID: Timestamp] = [:]
}

/// Deliveries that may be handed over.
struct BegunPushes: Sendable, Equatable {
    var ids: Set<Int64> = []
    /// Those whose notification a later event made void, with its word for why.
    var void: [Int64: String] = [:]
}

/// The outbox at a glance.
struct OutboxBacklog: Sendable, Equatable {
    var waiting: Int64 = 0
    var claimed: Int64 = 0
    /// When the next delivery, or claim that has run out, is to be looked at.
    var nextDue: Timestamp?
    /// Of those that are due.
    var oldestDue: Timestamp?
    /// Deliveries that wait because a push service cannot be used, or fails again and again.
    var heldUp: Int64 = 0
    var tokens: [TokenCount] = []

    struct TokenCount: Sendable, Equatable {
        var kind: String
        var state: String
        var count: Int64
    }
}
