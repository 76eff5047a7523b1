import EventModel

@testable import Notifications

enum PushSample {
    static let now = Timestamp(microseconds: 1_800_000_000_000_000)
    static let channel = "apns:production"
    static let device = DeviceID(rawValue: 7)

    static func request(
        id: Int64 = 1,
        token number: Int64 = 1,
        device: DeviceID = PushSample.device,
        expiresIn seconds: Double = 600,
        retries: Int64 = 0,
        isSmaller: Bool = false
    ) -> PushRequest {
        var token = PushSample.token()
        (token.id, token.device) = (number, device)
        var notice = PushSample.notice(.finished)
        notice.expiresAt = now.adding(seconds: seconds)
        var entry = claimed(notice, id: id, token: token)
        (entry.device, entry.retries, entry.isTooLarge) = (device, retries, isSmaller)
        let delivery = Delivery(
            level: .active,
            hasSound: true,
            priority: 10,
            expiresAt: notice.expiresAt,
            collapseID: "p:1",
            threadID: "s",
            relevance: 1,
            privacy: .contentless,
            budget: DeliveryBudget(fullAt: now.adding(seconds: 180)),
            reason: DeliveryReason(.sent)
        )
        let composer = PushComposer(topic: "com.example.app", webPushRules: nil)
        return PushRequest(
            entry: entry,
            token: token,
            delivery: delivery,
            message: composer.keyCheck(.production, now: now)!,
            channel: channel,
            sentAt: now
        )
    }

    static func notice(
        _ kind: NotificationKind = .permission,
        seq: Int64 = 5,
        prompt: String? = "p",
        collapse: String = "p:1"
    ) -> Notification {
        Notification(
            key: "n\(seq)",
            kind: kind,
            promptKey: prompt,
            place: NotificationPlace(sessionID: "s"),
            seq: seq,
            raisedAt: now.adding(seconds: -30),
            notBefore: now.adding(seconds: -30),
            expiresAt: now.adding(seconds: 600),
            collapseID: collapse
        )
    }

    static func token(_ state: PushTokenRecord.State = .active) -> PushTokenRecord {
        var content = NewPushToken(kind: .alert, token: "ab", sha256: [UInt8](repeating: 1, count: 32))
        content.environment = .production
        return PushTokenRecord(
            id: 1,
            device: device,
            content: content,
            registeredAt: now,
            lastOkAt: nil,
            failures: 0,
            state: state,
            stateReason: nil
        )
    }

    static func claimed(
        _ notice: Notification = notice(),
        id: Int64 = 1,
        token: PushTokenRecord? = token(),
        submissions: Int64 = 0,
        withdrawn: String? = nil
    ) -> OutboxEntry {
        OutboxEntry(
            id: id,
            apnsID: EventID(high: 0x7000, low: 0x8000_0000_0000_0000 | UInt64(id)),
            key: notice.key,
            kind: notice.kind.rawValue,
            notification: notice,
            withdrawnBecause: withdrawn,
            expiresAt: notice.expiresAt,
            device: device,
            attempts: 1,
            submissions: submissions,
            token: token,
            utcOffsetSeconds: 0
        )
    }
}
