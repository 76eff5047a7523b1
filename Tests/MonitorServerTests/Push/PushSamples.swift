import EventModel
import PushPolicy

@testable import MonitorServer
@testable import Persistence

enum PushSample {
    static let now = Timestamp(microseconds: 1_800_000_000_000_000)
    static let channel = "apns:production"
    static let device = DeviceID(rawValue: 7)

    static func ready(
        id: Int64 = 1,
        token: Int64 = 1,
        device: DeviceID = PushSample.device,
        expiresIn seconds: Double = 600,
        retries: Int64 = 0,
        isSmaller: Bool = false
    ) -> ReadyPush {
        ReadyPush(
            id: id,
            message: .malformed(""),
            channel: channel,
            tokenID: token,
            registeredAt: now,
            expiresAt: now.adding(seconds: seconds),
            retries: retries,
            isSmaller: isSmaller,
            level: "active",
            collapseID: "p:1",
            code: .sent,
            reason: PushCode.sent.sentence,
            budget: (device, now.adding(seconds: 180)),
            trace: PushTrace(
                device: device,
                sentAt: now,
                kind: "permission",
                sessionID: "s",
                collapseID: "p:1",
                seq: 5
            )
        )
    }

    static func notice(
        _ kind: NoticeKind = .permission,
        seq: Int64 = 5,
        prompt: String? = "p",
        collapse: String = "p:1"
    ) -> PushNotice {
        PushNotice(
            key: "n\(seq)",
            kind: kind,
            promptKey: prompt,
            place: NoticePlace(sessionID: "s"),
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
        _ notice: PushNotice = notice(),
        id: Int64 = 1,
        token: PushTokenRecord? = token(),
        submissions: Int64 = 0,
        withdrawn: String? = nil
    ) -> ClaimedPush {
        ClaimedPush(
            id: id,
            apnsID: EventID(high: 0x7000, low: 0x8000_0000_0000_0000 | UInt64(id)),
            noticeKey: notice.key,
            kind: notice.kind.rawValue,
            sessionID: notice.place.sessionID,
            notice: notice.stored(),
            withdrawnBecause: withdrawn,
            expiresAt: notice.expiresAt,
            createdAt: notice.raisedAt,
            device: device,
            attempts: 1,
            submissions: submissions,
            token: token,
            utcOffsetSeconds: 0
        )
    }
}
