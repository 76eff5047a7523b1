internal import EventModel
internal import Persistence

/// What a claimed delivery becomes.
struct Settlement: Sendable {
    var id: Int64
    /// `waiting` gives it back, to be looked at again at `dueAt`.
    var state: PushState
    var dueAt: Timestamp?
    var code: PushCode
    /// For a person.
    var reason: String
    var level: String?
    var collapseID: String?
    var status: Int?
    /// The device's budget afterwards.
    var budget: (device: DeviceID, fullAt: Timestamp)?
    /// It is counted in this digest, or in one of its device that waits already.
    var digest: Notification?
    /// What it had counted as a submission did not leave.
    var wasNotSubmitted = false
    /// The push service asked for another try later.
    var isRetried = false
    /// The push service found it too large.
    var isTooLarge = false
    /// What the answer says about the token.
    var token: TokenVerdict?

    /// - Parameter reason: `nil`: the code's own sentence.
    init(id: Int64, state: PushState, dueAt: Timestamp? = nil, code: PushCode, reason: String? = nil) {
        self.id = id
        self.state = state
        self.dueAt = dueAt
        self.code = code
        self.reason = reason ?? code.sentence
    }
}

/// What a push service's answer says about a token.
struct TokenVerdict: Sendable, Equatable {
    var tokenID: Int64
    /// The registration that was pushed to: a later one is left alone.
    var registeredAt: Timestamp
    var state: PushTokenRecord.State
    var reason: String?
}

extension TokenVerdict {
    init(_ token: PushTokenRecord, _ state: PushTokenRecord.State, _ reason: String?) {
        self.init(tokenID: token.id, registeredAt: token.registeredAt, state: state, reason: reason)
    }
}
