package import EventModel
internal import PushGateway
internal import Signing

/// Why a push cannot be encoded for its service. Safe to print.
struct MalformedPush: Error {
    var fault: String
}

/// Issues the answers that a push to a device carries. They are valid until the expiry.
package typealias PromptActionIssuer = @Sendable (_ opening: EventID, DeviceID, _ expiry: Timestamp) -> PromptActions?

/// Encodes a decided push for its push service.
struct PushComposer: Sendable {
    /// Maximum seconds that a transport takes for one push, including its own retry.
    static let submissionSeconds = 30.0
    /// The same if a person waits for the answer.
    private static let checkSeconds = 10.0

    /// `nil` if this server does not push to apps.
    let topic: String?
    /// `nil` if this server does not push to browsers.
    let webPushRules: WebPushRules?
    /// Issues the actions that a push about the prompt that the event opened offers the device; `nil` means no actions.
    var actions: PromptActionIssuer?

    /// Returns `nil` if there is no transport for the token.
    func channel(of token: PushTokenRecord) -> String? {
        guard token.content.kind == .webPush else {
            guard let topic else { return nil }
            let environment = "apns:\(token.content.environment?.rawValue ?? "production")"
            // Errors of an app with another topic say nothing about pushes with this server's topic.
            guard let own = token.content.topic, own != topic else { return environment }
            return "\(environment):\(own)"
        }
        guard webPushRules != nil else { return nil }
        // A channel is one push service: the part of the URL before the path.
        return "webpush:" + token.content.token.dropFirst("https://".count).prefix { $0 != "/" }
    }

    func request(
        _ entry: OutboxEntry,
        _ notice: Notification,
        _ delivery: Delivery,
        _ token: PushTokenRecord,
        channel: String,
        now: Timestamp
    ) throws(MalformedPush) -> PushRequest {
        var notice = notice
        if notice.kind == .permission, delivery.privacy != .plain || token.content.kind == .webPush,
            let opening = notice.eventID
        {
            notice.actions = actions?(opening, entry.device, notice.expiresAt)
        }
        let message =
            token.content.kind == .webPush
            ? try webPush(
                WebPushMessage(for: notice, delivery: delivery, isSmaller: entry.isTooLarge, now: now),
                token,
                deadline: PushComposer.deadline(before: delivery.expiresAt, now)
            )
            : try alert(entry, notice, delivery, token, now)
        return PushRequest(
            entry: entry,
            token: token,
            delivery: delivery,
            message: message,
            channel: channel,
            sentAt: now
        )
    }

    /// A background push. The system delivers it when convenient, wakes the app, and displays nothing.
    func probe(
        _ entry: OutboxEntry,
        _ token: PushTokenRecord,
        channel: String,
        now: Timestamp
    ) throws(MalformedPush) -> PushRequest {
        let delivery = Delivery(
            level: .passive,
            hasSound: false,
            priority: 5,
            expiresAt: entry.expiresAt,
            collapseID: DeliveryProbe.kind,
            threadID: "",
            relevance: 0,
            privacy: .contentless,
            budget: DeliveryBudget(),
            reason: DeliveryReason(.sent)
        )
        let payload = #"{"aps":{"content-available":1},"monitor":{"v":1,"kind":"canary"}}"#
        return PushRequest(
            entry: entry,
            token: token,
            delivery: delivery,
            message: try apns(entry.apnsID, token, .background, delivery, Array(payload.utf8), now),
            channel: channel,
            sentAt: now
        )
    }

    /// A push to a token that no device has. Returns `nil` if there is no key for APNs.
    func keyCheck(_ environment: NewPushToken.Environment, now: Timestamp) -> PushRequest.Message? {
        guard let topic else { return nil }
        let request = try? APNsRequest(
            deviceToken: String(repeating: "0", count: 64),
            bundleID: topic,
            pushType: .alert,
            priority: .considerate,
            expiration: .none,
            payload: Array(#"{"aps":{}}"#.utf8),
            deadline: now.adding(seconds: PushComposer.checkSeconds)
        )
        return request.map { .apns($0, environment) }
    }

    func liveActivity(
        _ step: LiveActivityStep,
        id: EventID,
        _ token: PushTokenRecord,
        privacy: PrivacyMode,
        now: Timestamp
    ) throws(MalformedPush) -> PushRequest.Message {
        try apns(
            id,
            token,
            .liveActivity,
            isUrgent: step.isUrgent,
            expiresAt: now.adding(seconds: LiveActivityPayload.lifetimeSeconds),
            collapseID: nil,
            payload: LiveActivityPayload.bytes(step, privacy: privacy, now: now),
            deadline: now.adding(seconds: PushComposer.submissionSeconds)
        )
    }

    private func alert(
        _ entry: OutboxEntry,
        _ notice: Notification,
        _ delivery: Delivery,
        _ token: PushTokenRecord,
        _ now: Timestamp
    ) throws(MalformedPush) -> PushRequest.Message {
        let sealing = token.content.encryptionKey.map { key in
            Sealing(device: entry.device, messageID: entry.apnsID.description) { PushComposer.seal($0, $1, key: key) }
        }
        let payload = APNsPayload.bytes(
            for: notice,
            delivery: delivery,
            sealing: sealing,
            isSmaller: entry.isTooLarge
        )
        return try apns(entry.apnsID, token, .alert, delivery, payload, now)
    }

    private func apns(
        _ id: EventID,
        _ token: PushTokenRecord,
        _ type: APNsPushType,
        _ delivery: Delivery,
        _ payload: [UInt8],
        _ now: Timestamp
    ) throws(MalformedPush) -> PushRequest.Message {
        try apns(
            id,
            token,
            type,
            isUrgent: delivery.priority >= 10,
            expiresAt: delivery.expiresAt,
            collapseID: delivery.collapseID,
            payload: payload,
            deadline: PushComposer.deadline(before: delivery.expiresAt, now)
        )
    }

    private func apns(
        _ id: EventID,
        _ token: PushTokenRecord,
        _ type: APNsPushType,
        isUrgent: Bool,
        expiresAt: Timestamp,
        collapseID: String?,
        payload: [UInt8],
        deadline: Timestamp
    ) throws(MalformedPush) -> PushRequest.Message {
        guard let apnsID = APNsID(id.description), let topic = token.content.topic ?? topic else {
            throw MalformedPush(fault: "it has no topic")
        }
        do throws(APNsRequestFault) {
            let request = try APNsRequest(
                id: apnsID,
                deviceToken: token.content.token,
                bundleID: topic,
                pushType: type,
                priority: isUrgent ? .immediate : .considerate,
                expiration: .at(expiresAt.wholeSeconds),
                collapseID: collapseID,
                payload: payload,
                deadline: deadline,
                registeredAt: token.registeredAt
            )
            return .apns(request, token.content.environment ?? .production)
        } catch {
            throw MalformedPush(fault: error.description)
        }
    }

    private func webPush(
        _ message: WebPushMessage,
        _ token: PushTokenRecord,
        deadline: Timestamp
    ) throws(MalformedPush) -> PushRequest.Message {
        guard let keys = token.content.keys, let rules = webPushRules else {
            throw MalformedPush(fault: "it has no keys")
        }
        do {
            let subscription = try WebPushSubscription(
                endpoint: token.content.token,
                p256dh: keys.p256dh,
                auth: keys.auth,
                rules: rules
            )
            let request = try WebPushRequest(
                subscription: subscription,
                payload: message.plaintext,
                urgency: message.urgency,
                timeToLive: message.ttl,
                topic: message.topic,
                deadline: deadline
            )
            return .webPush(request)
        } catch {
            throw MalformedPush(fault: "\(error)")
        }
    }

    private static func deadline(before end: Timestamp, _ now: Timestamp) -> Timestamp {
        min(end, now.adding(seconds: submissionSeconds))
    }

    /// Base64 of nonce, ciphertext and tag.
    private static func seal(_ plaintext: [UInt8], _ additionalData: [UInt8], key: [UInt8]) -> String? {
        guard let cipher = try? AESGCM(.bits256, key: key), let nonce = try? SecureRandom.bytes(AESGCM.nonceLength),
            let sealed = try? cipher.seal(plaintext, nonce: nonce, authenticating: additionalData)
        else { return nil }
        return base64(nonce + sealed)
    }

    /// RFC 4648 section 4, with padding.
    private static func base64(_ bytes: [UInt8]) -> String {
        let text = Base64URL.encode(bytes).map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 }
        return String(text) + String(repeating: "=", count: (4 - text.count % 4) % 4)
    }
}
