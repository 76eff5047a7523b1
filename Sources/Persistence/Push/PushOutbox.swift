public import EventModel

/// A delivery that this server has claimed, with all that decides about it.
public struct ClaimedPush: Sendable {
    public var id: Int64
    public var apnsID: EventID
    public var noticeKey: String
    public var kind: String
    public var sessionID: String?
    /// JSON.
    public var notice: [UInt8]
    public var withdrawnBecause: String?
    public var expiresAt: Timestamp
    public var createdAt: Timestamp
    public var device: DeviceID
    /// How often it was claimed, this time included.
    public var attempts: Int64
    /// How often it was handed over and may have left.
    public var submissions: Int64
    /// How often the push service asked for another try later.
    public var retries: Int64 = 0
    /// The push service found it too large.
    public var isTooLarge = false
    /// Why it waited until now.
    public var lastReason: String?
    /// `nil`: the token is not registered any more, or its device is not active.
    public var token: PushTokenRecord?
    /// Seconds that the device's clocks are ahead of UTC.
    public var utcOffsetSeconds: Int64
    /// The project of the notice's session.
    public var workspaceID: String?
    /// When the next notice that waits for the same token, and replaces this one, is due.
    public var newerDueAt: Timestamp?
    /// When the notice's prompt was seen to stand before a person.
    public var confirmedAt: Timestamp?
    /// Of a digest: how many notices it stands for, and from how many sessions.
    public var digest: (count: Int64, sessions: Int64)?
}

/// A push that went out before, as rules that bound their number look at it.
public struct SentPush: Sendable, Equatable {
    public var device: DeviceID
    public var sentAt: Timestamp
    public var kind: String
    public var sessionID: String?
    public var collapseID: String?
    /// Place of the event behind it.
    public var seq: Int64?

    public init(
        device: DeviceID,
        sentAt: Timestamp,
        kind: String,
        sessionID: String?,
        collapseID: String?,
        seq: Int64?
    ) {
        self.device = device
        self.sentAt = sentAt
        self.kind = kind
        self.sessionID = sessionID
        self.collapseID = collapseID
        self.seq = seq
    }
}

public struct PushClaim: Sendable {
    public var pushes: [ClaimedPush] = []
    /// Of the devices of those pushes, oldest first.
    public var sent: [SentPush] = []
    public var layers: [PushPreferenceLayer] = []
    /// When their budgets are whole again.
    public var budgets: [DeviceID: Timestamp] = [:]
}

/// What is decided about one claimed delivery.
public struct PushSettlement: Sendable {
    public var id: Int64
    /// `waiting` gives it back, to be looked at again at `dueAt`.
    public var state: PushDecision.State
    public var dueAt: Timestamp?
    public var code: PushCode
    /// For a person.
    public var reason: String
    public var level: String?
    public var collapseID: String?
    public var status: Int?
    /// The device's budget afterwards.
    public var budget: (device: DeviceID, fullAt: Timestamp)?
    /// It is counted in this digest, or in one of its device that waits already.
    public var digest: NewPushNotice?
    /// What it had counted as a submission did not leave.
    public var wasNotSubmitted = false
    /// The push service asked for another try later.
    public var isRetried = false
    /// The push service found it too large.
    public var isTooLarge = false

    /// - Parameter reason: `nil`: the code's own sentence.
    public init(
        id: Int64,
        state: PushDecision.State,
        dueAt: Timestamp? = nil,
        code: PushCode,
        reason: String? = nil
    ) {
        self.id = id
        self.state = state
        self.dueAt = dueAt
        self.code = code
        self.reason = reason ?? code.sentence
    }
}

/// Deliveries that may be handed over.
public struct BegunPushes: Sendable, Equatable {
    public var ids: Set<Int64> = []
    /// Those whose notice a later event made void, with its word for why.
    public var void: [Int64: String] = [:]

    public init() {}
}

/// What a push service's answer says about a token.
public struct PushTokenVerdict: Sendable, Equatable {
    public var tokenID: Int64
    /// The registration that was pushed to: a later one is left alone.
    public var registeredAt: Timestamp
    public var state: PushTokenRecord.State
    public var reason: String?

    public init(tokenID: Int64, registeredAt: Timestamp, state: PushTokenRecord.State, reason: String?) {
        self.tokenID = tokenID
        self.registeredAt = registeredAt
        self.state = state
        self.reason = reason
    }
}

/// The outbox at a glance.
public struct PushBacklog: Sendable, Equatable {
    public var waiting: Int64 = 0
    public var claimed: Int64 = 0
    /// When the next delivery, or claim that has run out, is to be looked at.
    public var nextDue: Timestamp?
    /// Of those that are due.
    public var oldestDue: Timestamp?
    /// Deliveries that wait because a push service cannot be used, or fails again and again.
    public var heldUp: Int64 = 0
    public var tokens: [TokenCount] = []

    public struct TokenCount: Sendable, Equatable {
        public var kind: String
        public var state: String
        public var count: Int64
    }

    public init() {}
}
