import EventModel
import Testing

@testable import Sessions

@Suite("The line of a prompt")
struct PromptDetailTests {
    private func prompt(_ summary: String, _ shown: ShownInput) -> Prompt? {
        let asked = Hooks.event("PermissionRequest", 10, Hooks.toolInput, tool: "Bash").replacing {
            ($0.summary, $0.facts.shownWhole) = (summary, shown)
        }
        var tracker = PromptTracker()
        return HookEvent(asked).flatMap { tracker.take($0).opened }
    }

    @Test(
        "is all of the request only if the summary is, and the line is not cut",
        arguments: [
            ("Bash: ls", [.summary], "ls", true), ("Bash: ls", [], "ls", false), ("Bash: ls", [.payload], "ls", false),
            ("Bash: " + String(repeating: "漢", count: 190), [.summary], nil, false),
            ("Bash: \u{301}x", [.summary], "\u{301}x", true),
        ] as [(String, ShownInput, String?, Bool)]
    )
    func complete(summary: String, shown: ShownInput, detail: String?, isComplete: Bool) throws {
        let prompt = try #require(prompt(summary, shown))
        #expect(prompt.isDetailComplete == isComplete)
        if let detail { #expect(prompt.detail.utf8.elementsEqual(detail.utf8)) }
    }
}
