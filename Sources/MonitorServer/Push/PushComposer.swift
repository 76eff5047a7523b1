internal import EventModel
internal import Persistence
internal import PushGateway
internal import PushPolicy
internal import Signing

/// Puts what was decided into the form of its push service.
struct PushComposer: Sendable {
    /// Seconds that a transport may take with one push, its own repetition included.
    static let submissionSeconds = 30.0

    /// `nil`: this server does not push to apps.
    let topic: String?
    /// `nil`: nor to browsers.
    let webPushRules: WebPushRules?

    /// `nil`: there is no way to such a token.
    func channel(of token: PushTokenRecord) -> String? {
        guard token.content.kind == .webPush else {
            guard let topic else { return nil }
            let environment = "apns:\(token.content.environment?.rawValue ?? "production")"
            // Where an app says another topic than this server's, its faults are not those of the others.
            guard let own = token.content.topic, own != topic else { return environment }
            return "\(environment):\(own)"
        }
        guard webPushRules != nil else { return nil }
        // A channel is a push service: what stands before the path.
        return "webpush:" + token.content.token.dropFirst("https://".count).prefix { $0 != "/" }
    }

    func ready(
        _ push: ClaimedPush,
        _ notice: PushNotice,
        _ delivery: Delivery,
        _ token: PushTokenRecord,
        channel: String,
        now: Timestamp
    ) -> ReadyPush {
        ReadyPush(
            id: push.id,
            message: message(push, notice, delivery, token, now),
            channel: channel,
            tokenID: token.id,
            registeredAt: token.registeredAt,
            expiresAt: delivery.expiresAt,
            retries: push.retries,
            isSmaller: push.isTooLarge,
            level: delivery.level.rawValue,
            collapseID: delivery.collapseID,
            code: delivery.reason.code,
            reason: delivery.reason.sentence,
            budget: delivery.budget.fullAt.map { (push.device, $0) },
            trace: PushTrace(
                device: push.device,
                sentAt: now,
                kind: notice.kind.rawValue,
                sessionID: notice.place.sessionID,
                collapseID: delivery.collapseID,
                seq: notice.seq
            )
        )
    }

    /// A background push: it wakes the app where it suits the device, and shows nothing.
    func canary(_ push: ClaimedPush, _ token: PushTokenRecord, channel: String, now: Timestamp) -> ReadyPush {
        ReadyPush(
            id: push.id,
            message: apns(
                .canary(collapseID: PushCanary.kind, expiresAt: push.expiresAt),
                id: push.apnsID,
                token,
                deadline: min(push.expiresAt, now.adding(seconds: PushComposer.submissionSeconds))
            ),
            channel: channel,
            tokenID: token.id,
            registeredAt: token.registeredAt,
            expiresAt: push.expiresAt,
            retries: push.retries,
            isSmaller: push.isTooLarge,
            level: NoticeLevel.passive.rawValue,
            collapseID: PushCanary.kind,
            code: .sent,
            reason: PushCode.sent.sentence,
            budget: nil,
            trace: PushTrace(
                device: push.device,
                sentAt: now,
                kind: PushCanary.kind,
                sessionID: nil,
                collapseID: PushCanary.kind,
                seq: 0
            )
        )
    }

    private func message(
        _ push: ClaimedPush,
        _ notice: PushNotice,
        _ delivery: Delivery,
        _ token: PushTokenRecord,
        _ now: Timestamp
    ) -> ReadyPush.Message {
        let deadline = min(delivery.expiresAt, now.adding(seconds: PushComposer.submissionSeconds))
        if token.content.kind == .webPush {
            let message = WebPushMessage(for: notice, delivery: delivery, isSmaller: push.isTooLarge, now: now)
            return webPush(message, token, deadline: deadline)
        }
        let sealing = token.content.encryptionKey.map { key in
            Sealing(device: push.device, messageID: push.apnsID.description) { PushComposer.seal($0, $1, key: key) }
        }
        return apns(
            APNsPayload.message(for: notice, delivery: delivery, sealing: sealing, isSmaller: push.isTooLarge),
            id: push.apnsID,
            token,
            deadline: deadline
        )
    }

    func apns(
        _ message: APNsMessage,
        id: EventID,
        _ token: PushTokenRecord,
        deadline: Timestamp
    ) -> ReadyPush.Message {
        guard let apnsID = APNsID(id.description), let topic = token.content.topic ?? topic else {
            return .malformed("it has no topic")
        }
        do throws(APNsRequestFault) {
            let request = try APNsRequest(
                id: apnsID,
                deviceToken: token.content.token,
                bundleID: topic,
                pushType: APNsPushType(message.pushType),
                priority: message.priority >= 10 ? .immediate : .considerate,
                expiration: .at(message.expiration),
                collapseID: message.collapseID,
                payload: message.payload,
                deadline: deadline,
                registeredAt: token.registeredAt
            )
            return .apns(request, token.content.environment ?? .production)
        } catch {
            return .malformed(error.description)
        }
    }

    private func webPush(
        _ message: WebPushMessage,
        _ token: PushTokenRecord,
        deadline: Timestamp
    ) -> ReadyPush.Message {
        guard let keys = token.content.keys, let rules = webPushRules else { return .malformed("it has no keys") }
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
                urgency: WebPushUrgency(rawValue: message.urgency.rawValue) ?? .normal,
                timeToLive: message.ttl,
                topic: message.topic,
                deadline: deadline
            )
            return .webPush(request)
        } catch {
            return .malformed("\(error)")
        }
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

extension APNsPushType {
    fileprivate init(_ type: APNsMessage.PushType) {
        self =
            switch type {
            case .alert: .alert
            case .background: .background
            case .liveActivity: .liveActivity
            }
    }
}
