internal import EventModel
internal import PushGateway

/// A push that the rules let go, in its service's form.
struct ReadyPush: Sendable {
    enum Message: Sendable {
        case apns(APNsRequest, NewPushToken.Environment)
        case webPush(WebPushRequest)
        /// It cannot be put into the form.
        case malformed(String)
    }

    var id: Int64
    var message: Message
    /// What a fault that is not the token's stops: an environment of Apple's, or a browser's push service.
    var channel: String
    var tokenID: Int64
    var registeredAt: Timestamp
    var expiresAt: Timestamp
    /// How often the push service has asked for another try later.
    var retries: Int64
    /// The push service found it too large before, so this is smaller.
    var isSmaller: Bool
    var level: String
    var collapseID: String
    /// Of the decision to send.
    var code: PushCode
    var reason: String
    /// What its device may be sent afterwards.
    var budget: (device: DeviceID, fullAt: Timestamp)?
    /// As later decisions look at it while it is under way.
    var trace: PushTrace
}

/// What a push that is under way means for those that follow.
struct PushTrace: Sendable, Equatable {
    var device: DeviceID
    var sentAt: Timestamp
    var kind: String
    var sessionID: String?
    var collapseID: String
    var seq: Int64
}
