import EventModel
import Testing

@Suite struct InjectedPromptTests {
    @Test(arguments: ["<system-reminder>x", " \n\t<task-notification>", "<bash-stdout>"])
    func whatClaudeCodeWritesIsNotTyped(prompt: String) {
        #expect(InjectedPrompt.isInjected(prompt, source: nil))
        #expect(InjectedPrompt.isInjected(prompt, source: "user"))
    }

    @Test(arguments: ["", " ", "<", "<system", "see <system-reminder>", "\u{A0}<system-reminder>"])
    func whatAPersonTypesIs(prompt: String) {
        #expect(!InjectedPrompt.isInjected(prompt, source: nil))
        #expect(!InjectedPrompt.isInjected(prompt, source: "sdk"))
        #expect(InjectedPrompt.isInjected(prompt, source: "loop"))
    }
}
