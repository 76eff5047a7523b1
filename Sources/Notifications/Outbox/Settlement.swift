internal import EventModel

/// The new state of a claimed delivery.
struct Settlement: Sendable {
    var id: Int64
    /// `waiting` returns the delivery to the queue, due at `dueAt`.
    var state: PushState
    var dueAt: Timestamp?
    var code: PushCode
    /// Text for people.
    var reason: String
    var level: String?
    var collapseID: String?
    var status: Int?
    /// The device's budget afterwards.
    var budget: (device: DeviceID, fullAt: Timestamp)?
    /// The delivery is counted in this digest, or in a digest of its device that already waits.
    var digest: Notification?
    /// The submission that was counted was not sent.
    var wasNotSubmitted = false
    /// The push service requested a later retry.
    var isRetried = false
    /// The push service rejected it as too large.
    var isTooLarge = false
    /// The answer's consequence for the token.
    var token: TokenVerdict?

    /// - Parameter reason: `nil` uses the code's own sentence.
    init(id: Int64, state: PushState, dueAt: Timestamp? = nil, code: PushCode, reason: String? = nil) {
        self.id = id
        self.state = state
        self.dueAt = dueAt
        self.code = code
        self.reason = reason ?? code.sentence
    }
}

/// The consequence of a push service's answer for a token.
struct TokenVerdict: Sendable, Equatable {
    var tokenID: Int64
    /// The registration that the push was sent to. A later registration is not changed.
    var registeredAt: Timestamp
    var state: PushTokenRecord.State
    var reason: String?
}

extension TokenVerdict {
    init(_ token: PushTokenRecord, _ state: PushTokenRecord.State, _ reason: String?) {
        self.init(tokenID: token.id, registeredAt: token.registeredAt, state: state, reason: reason)
    }
}
