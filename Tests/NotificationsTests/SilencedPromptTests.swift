import EventModel
import Testing

@testable import Notifications

@Suite("Prompts that the machine's approvals file silences")
struct SilencedPromptTests {
    @Test("a prompt that the machine's file tells no device of is withdrawn where it is raised, without a reminder")
    func silencedByMachine() {
        var script = Script()
        script.tool("PreToolUse", 10, "t1")
        script.askSilently(10.1)
        script.notify("permission_prompt", 16.2)
        let actions = script.actions
        #expect(actions.raised.map(\.isReminder) == [false])
        #expect(actions.withdrawn.map(\.promptKey) == actions.raised.map(\.key))
        #expect(actions.withdrawn.map(\.reason) == [.silencedByMachine])
        #expect(actions.withdrawn.first?.resolved == nil)
    }

    @Test("the request silences a prompt that its dialog's notification raised before")
    func silencedAfterItsDialog() {
        var script = Script()
        script.notify("permission_prompt", 10.2)
        script.askSilently(10.1)
        #expect(script.actions.withdrawn.map(\.reason) == [.silencedByMachine])
    }
}
