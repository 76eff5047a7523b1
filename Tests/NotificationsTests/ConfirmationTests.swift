import EventModel
import Testing

@testable import Notifications

@Suite("Prompts that may have been allowed by themselves")
struct ConfirmationTests {
    @Test("a request waits for its dialog's notification where one is to be expected")
    func unconfirmed() {
        var script = Script()
        func asked(_ id: String, at time: Double) -> Double? {
            script.tool("PreToolUse", time, id, id)
            script.ask(time + 0.1, id)
            return script.actions.told.last?.unconfirmedSeconds
        }
        #expect(asked("t1", at: 10) == 0)
        script.tool("PostToolUse", 40, "t1", "t1", more: #","duration_ms":29500"#)
        #expect(asked("t2", at: 50) == 30)
        script.notify("permission_prompt", 56.5)
        #expect(script.actions.confirmed == [script.actions.told.last?.promptKey])
        script.tool("PostToolUse", 60, "t2", "t2", more: #","duration_ms":10"#)
        #expect(asked("t3", at: 70) == 30)
        script.tool("PostToolUse", 71, "t3", "t3", more: #","duration_ms":800"#)
        #expect(asked("t4", at: 80) == 300)
        script.ask(90, "other", more: #","agent_id":"a1""#)
        #expect(script.actions.told.last?.unconfirmedSeconds == 0)
    }

    @Test("what a session has shown outlives the store")
    func stored() throws {
        var script = Script()
        script.tool("PreToolUse", 10, "t1")
        script.ask(10.1)
        script.notify("permission_prompt", 16.5)
        script.tool("PostToolUse", 40, "t1", more: #","duration_ms":29500"#)
        var detector = NotificationDetector()
        for event in script.events { _ = detector.take(event) }
        let watch = try #require(detector.changedSessions.first)
        #expect(watch.prompts.announcesDialogs && watch.prompts.isAutomatic)
        #expect(SessionMonitorState(sessionID: watch.sessionID, stored: watch.stored()) == watch)
    }

    @Test("a notification that comes late says nothing of a later request")
    func late() {
        var script = Script()
        script.tool("PreToolUse", 10, "t1")
        script.ask(10.1)
        script.tool("PostToolUse", 17, "t1", more: #","duration_ms":10"#)
        script.tool("PreToolUse", 18, "t2", "make")
        script.ask(18.1, "make")
        script.notify("permission_prompt", 16.5, received: 19)
        #expect(script.actions.confirmed.isEmpty)
        script.notify("permission_prompt", 24.5)
        #expect(script.actions.confirmed.count == 1)
    }
}
