internal import EventModel
package import PushGateway

/// A push that the rules have allowed, encoded for its service.
package struct PushRequest: Sendable {
    package enum Message: Sendable {
        case apns(APNsRequest, NewPushToken.Environment)
        case webPush(WebPushRequest)
    }

    var entry: OutboxEntry
    var token: PushTokenRecord
    var delivery: Delivery
    var message: Message
    /// The scope of errors that are not the token's: one of Apple's environments, or a browser's push service.
    var channel: String
    var sentAt: Timestamp

    /// The device's budget afterwards; `nil` if unchanged.
    var budget: (device: DeviceID, fullAt: Timestamp)? {
        entry.isTest ? nil : delivery.budget.fullAt.map { (entry.device, $0) }
    }

    /// The push in the form that later decisions use while it is in progress.
    var sent: SentPush {
        SentPush(
            device: entry.device,
            sentAt: sentAt,
            kind: entry.kind,
            sessionID: entry.notification?.place.sessionID,
            collapseID: delivery.collapseID,
            seq: entry.notification?.seq,
            machine: entry.machine
        )
    }
}

/// The transports to the push services. Safe from any thread.
package protocol PushTransports: Sendable {
    /// The bundle id of the app; `nil` if this server does not push to apps.
    var topic: String? { get }
    /// `nil` if this server does not push to browsers.
    var webPushRules: WebPushRules? { get }
    /// The key with which browsers subscribe.
    var applicationServerKey: String? { get }
    /// Seconds; `nil` if no provider token was made.
    var providerTokenAge: Double? { get }
    /// The status of each client used so far.
    var statuses: [(channel: String, status: PushStatus)] { get }

    /// - Parameter permission: asked before each stream for the push is opened; `nil` if it may always be sent.
    func submit(
        _ message: PushRequest.Message,
        permission: PushPermission?,
        completion: @escaping @Sendable (PushOutcome) -> Void
    )

    /// Gives pushes in progress a few seconds to finish. Blocks.
    func stop()
}
