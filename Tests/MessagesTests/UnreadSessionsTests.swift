import EventModel
import Testing

@testable import Messages

@Suite("What an event shows about the messages of its session")
struct UnreadSessionsTests {
    private func event(
        _ hook: String?,
        type: EventType = .promptUpdated,
        session: String? = "s",
        payload: String = "{}",
        isInjected: Bool = false
    ) -> MonitorEvent {
        var facts = SessionFacts()
        facts.promptIsInjected = isInjected
        return MonitorEvent(
            id: EventID(high: 1, low: 2),
            type: type,
            hookEventName: hook.map { HookEventName($0) },
            timestamp: Timestamp(microseconds: 0),
            receivedAt: Timestamp(microseconds: 0),
            machine: MachineID(rawValue: 1),
            machineName: "desk",
            sessionID: session,
            projectPath: nil,
            toolName: nil,
            summary: "",
            payload: Array(payload.utf8),
            facts: facts
        )
    }

    @Test("a typed prompt may be a message, an injected one is none")
    func prompts() {
        let unread = UnreadSessions()
        let payload = #"{"prompt":"Go on."}"#
        #expect(unread.effects(of: event("UserPromptSubmit", payload: payload)) == [.accepted("Go on.")])
        #expect(unread.effects(of: event("UserPromptSubmit", payload: payload, isInjected: true)).isEmpty)
        #expect(unread.effects(of: event("UserPromptSubmit")).isEmpty)
    }

    @Test("the end of a turn ends its interruptions, the end of the session all messages")
    func ends() {
        let unread = UnreadSessions()
        for name in ["Stop", "StopFailure"] {
            #expect(unread.effects(of: event(name)) == [.over(.interrupt, because: "the turn ended first")])
        }
        #expect(unread.effects(of: event("SessionEnd")) == [.over(nil, because: "the session ended")])
        let gone = event(nil, type: .sessionGone)
        #expect(unread.effects(of: gone) == [.over(nil, because: "the session's process has gone")])
        #expect(unread.effects(of: event("PostToolUse")).isEmpty)
    }

    @Test("until the unread messages are known, every session may have some")
    func known() {
        var unread = UnreadSessions()
        #expect(unread.mayInclude("s") && !unread.isEmpty)
        unread.queued(to: "s")
        #expect(unread.mayInclude("other"))
        unread.found([], since: unread)
        #expect(!unread.mayInclude("s") && unread.isEmpty)
        #expect(unread.effects(of: event("Stop")).isEmpty)
        #expect(unread.effects(of: event("Stop", session: nil)).isEmpty)
    }

    @Test("a message that was queued during a read is not forgotten, one that was read before is")
    func reads() {
        var unread = UnreadSessions()
        unread.found(["old"], since: unread)
        let before = unread
        unread.queued(to: "new")
        unread.found(["other"], since: before)
        #expect(unread.mayInclude("new") && unread.mayInclude("other") && !unread.mayInclude("old"))
    }
}
