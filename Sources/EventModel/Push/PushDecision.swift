/// What became of one notice for one token, for whoever asks why a push did or did not come.
public struct PushDecision: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable {
        case waiting
        case claimed
        case sent
        case suppressed
        case withdrawn
        case failed
        case expired
    }

    public var id: Int64
    public var device: DeviceID
    public var tokenKind: String
    /// The token's, while it is registered.
    public var tokenFingerprint: String?
    public var apnsID: EventID
    public var state: State
    /// When it is next looked at, while it waits.
    public var dueAt: Timestamp
    public var attempts: Int64
    public var submissions: Int64
    public var level: String?
    public var collapseID: String?
    /// One word.
    public var code: String?
    /// For a person.
    public var reason: String?
    /// Of the push service's answer.
    public var status: Int64?
    public var decidedAt: Timestamp?

    public init(
        id: Int64,
        device: DeviceID,
        tokenKind: String,
        tokenFingerprint: String?,
        apnsID: EventID,
        state: State,
        dueAt: Timestamp,
        attempts: Int64,
        submissions: Int64,
        level: String?,
        collapseID: String?,
        code: String?,
        reason: String?,
        status: Int64?,
        decidedAt: Timestamp?
    ) {
        self.id = id
        self.device = device
        self.tokenKind = tokenKind
        self.tokenFingerprint = tokenFingerprint
        self.apnsID = apnsID
        self.state = state
        self.dueAt = dueAt
        self.attempts = attempts
        self.submissions = submissions
        self.level = level
        self.collapseID = collapseID
        self.code = code
        self.reason = reason
        self.status = status
        self.decidedAt = decidedAt
    }
}

/// A notice with all that was decided about it.
public struct PushHistory: Sendable, Equatable {
    public var noticeKey: String
    public var kind: String
    /// `nil` for a test.
    public var eventSeq: Int64?
    public var eventID: EventID?
    public var sessionID: String?
    public var raisedAt: Timestamp
    public var notBefore: Timestamp
    public var expiresAt: Timestamp
    public var withdrawnAt: Timestamp?
    public var withdrawnBecause: String?
    /// Empty where no device was registered for pushes.
    public var decisions: [PushDecision] = []

    public init(
        noticeKey: String,
        kind: String,
        eventSeq: Int64?,
        eventID: EventID?,
        sessionID: String?,
        raisedAt: Timestamp,
        notBefore: Timestamp,
        expiresAt: Timestamp,
        withdrawnAt: Timestamp?,
        withdrawnBecause: String?
    ) {
        self.noticeKey = noticeKey
        self.kind = kind
        self.eventSeq = eventSeq
        self.eventID = eventID
        self.sessionID = sessionID
        self.raisedAt = raisedAt
        self.notBefore = notBefore
        self.expiresAt = expiresAt
        self.withdrawnAt = withdrawnAt
        self.withdrawnBecause = withdrawnBecause
    }
}
