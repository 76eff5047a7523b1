import EventModel
import Testing

@testable import PushPolicy

@Suite("Notices")
struct PushNoticeTests {
    @Test("a notice is read as it was stored")
    func roundTrip() {
        for kind in NoticeKind.allCases {
            let full = NoticeDetails(
                toolName: "Bash",
                toolUseID: "t1",
                summary: "rm \"x\"\n😀",
                sessionTitle: "Shop",
                reason: "plan",
                durationSeconds: 12.345,
                costUSD: 0.1,
                pending: 2,
                count: 7,
                sessions: 3
            )
            for details in [NoticeDetails(), full] {
                let original = notice(kind, isReminder: kind == .permission, details: details)
                #expect(PushNotice(stored: original.stored()) == original)
            }
        }
    }

    @Test("what is no notice is not read", arguments: ["", "[]", "{}", #"{"key":"k","kind":"new"}"#])
    func malformed(text: String) {
        #expect(PushNotice(stored: Array(text.utf8)) == nil)
    }

    @Test("a digest counts notices and sessions, and is the same for the same notices")
    func digest() {
        let held = [notice(.finished, session: "a"), notice(.error, session: "b"), notice(.finished, session: "a")]
        let digest = PushNotice.digest(of: held, device: DeviceID(rawValue: 4), at: at(60))
        #expect(digest?.details.count == 3)
        #expect(digest?.details.sessions == 2)
        #expect(digest?.key == PushNotice.digest(of: held, device: DeviceID(rawValue: 4), at: at(90))?.key)
        #expect(PushNotice.digest(of: [], device: DeviceID(rawValue: 4), at: at(60)) == nil)
    }

    @Test("kinds have the names that are stored and shown")
    func names() {
        #expect(
            NoticeKind.allCases.map(\.rawValue) == [
                "permission", "question", "finished", "long_tool", "error", "session_started", "session_ended",
                "cost_threshold", "resolved", "digest",
            ]
        )
    }
}
