internal import EventModel
package import PushGateway

/// A push that the rules let go, in its service's form.
package struct PushRequest: Sendable {
    package enum Message: Sendable {
        case apns(APNsRequest, NewPushToken.Environment)
        case webPush(WebPushRequest)
    }

    var entry: OutboxEntry
    var token: PushTokenRecord
    var delivery: Delivery
    var message: Message
    /// What a fault that is not the token's stops: an environment of Apple's, or a browser's push service.
    var channel: String
    var sentAt: Timestamp

    /// What its device may be sent afterwards; `nil`: as much as before.
    var budget: (device: DeviceID, fullAt: Timestamp)? {
        entry.isTest ? nil : delivery.budget.fullAt.map { (entry.device, $0) }
    }

    /// As later decisions look at it while it is under way.
    var sent: SentPush {
        SentPush(
            device: entry.device,
            sentAt: sentAt,
            kind: entry.kind,
            sessionID: entry.notification?.place.sessionID,
            collapseID: delivery.collapseID,
            seq: entry.notification?.seq
        )
    }
}

/// The ways to the push services. Any thread.
package protocol PushTransports: Sendable {
    /// The bundle id of the app; `nil`: this server does not push to apps.
    var topic: String? { get }
    /// `nil`: nor to browsers.
    var webPushRules: WebPushRules? { get }
    /// What browsers subscribe with.
    var applicationServerKey: String? { get }
    /// Seconds; `nil`: none was made.
    var providerTokenAge: Double? { get }
    /// Of the clients that were needed so far.
    var statuses: [(channel: String, status: PushStatus)] { get }

    func submit(_ message: PushRequest.Message, completion: @escaping @Sendable (PushOutcome) -> Void)

    /// Gives what is under way a few seconds. Blocks.
    func stop()
}
