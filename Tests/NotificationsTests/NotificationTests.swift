import EventModel
import Testing

@testable import Notifications

@Suite("Notices")
struct NotificationTests {
    @Test("a notice is read as it was stored")
    func roundTrip() {
        for kind in NotificationKind.allCases {
            let full = NotificationDetails(
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
            for details in [NotificationDetails(), full] {
                let original = notice(kind, isReminder: kind == .permission, details: details)
                #expect(Notification(stored: original.stored()) == original)
            }
        }
    }

    @Test("what is no notice is not read", arguments: ["", "[]", "{}", #"{"key":"k","kind":"new"}"#])
    func malformed(text: String) {
        #expect(Notification(stored: Array(text.utf8)) == nil)
    }

    @Test("kinds have the names that are stored and shown")
    func names() {
        #expect(
            NotificationKind.allCases.map(\.rawValue) == [
                "permission", "question", "finished", "long_tool", "error", "stuck", "session_started", "session_ended",
                "cost_threshold", "server_failed", "machine_offline", "resolved", "digest",
            ]
        )
    }
}
