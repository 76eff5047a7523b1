import EventModel
import JSON
import Testing

@testable import Sessions

/// A call that is made again with the same input, and whose permission request arrives before its start.
@Suite("The same call again")
struct RepeatedCallTests {
    /// Seconds from an event to its receipt, with a machine whose clock is behind the server's, and ahead of it.
    static let delays = [0.05, 90.05, -59.95]

    /// What the server logs of the prompt, `seconds` after the start by the machine's true clock.
    private func decide(
        _ prompt: Prompt,
        _ step: String,
        at seconds: Double,
        in hooks: inout Hooks,
        delay: Double
    ) throws {
        let event = Hooks.event("Stop", seconds + delay - 0.05, seq: 900).replacing {
            ($0.type, $0.hookEventName) = (.promptUpdated, nil)
            $0.payload = Array(#"{"prompt_id":"\#(prompt.id)","step":"\#(step)"}"#.utf8)
        }
        let update = try #require(PromptUpdate(event))
        #expect(hooks.tracker.take(update).count == 1)
    }

    private func asked(_ hooks: inout Hooks, delay: Double) throws -> Prompt {
        hooks.add("PreToolUse", 10, #""tool_use_id":"t1",\#(Hooks.toolInput)"#, tool: "Bash", delay: delay)
        return try #require(request(&hooks, 10.1, delay: delay).opened)
    }

    private func request(_ hooks: inout Hooks, _ seconds: Double, delay: Double) -> [PromptChange] {
        hooks.add("PermissionRequest", seconds, Hooks.toolInput, tool: "Bash", delay: delay)
    }

    @Test(
        "a request after the decision on the former call opens a prompt, whatever the machine's clock says",
        arguments: delays
    )
    func afterDecision(delay: Double) throws {
        var hooks = Hooks()
        let former = try asked(&hooks, delay: delay)
        try decide(former, "dismissed", at: 10.4, in: &hooks, delay: delay)
        let again = try #require(request(&hooks, 10.6, delay: delay).opened)
        #expect(again.id != former.id && again.callID == nil)
        hooks.add("PreToolUse", 10.5, #""tool_use_id":"t2",\#(Hooks.toolInput)"#, tool: "Bash", delay: delay)
        #expect(hooks.tracker.open.map(\.callID) == ["t2"])
        func end(_ id: String, at seconds: Double) -> [PromptChange] {
            let fields = #""tool_use_id":"\#(id)",\#(Hooks.toolInput)"#
            return hooks.add("PostToolUse", seconds, fields, tool: "Bash", delay: delay)
        }
        #expect(end("t1", at: 10.45).closed.isEmpty, "the former call's result says nothing of this one")
        #expect(end("t2", at: 12).closed.map(\.id) == [again.id])
    }

    @Test("a request that was made before the decision opens nothing, however late it arrives", arguments: delays)
    func beforeDecision(delay: Double) throws {
        var hooks = Hooks()
        let former = try asked(&hooks, delay: delay)
        try decide(former, "dismissed", at: 10.4, in: &hooks, delay: delay)
        #expect(request(&hooks, 10.15, delay: delay + 5).opened == nil)
        #expect(hooks.tracker.open.isEmpty)
    }

    @Test("a request after the former call's result opens a prompt; a copy of the former request opens none")
    func afterResult() throws {
        for time in [10.15, 10.9] {
            var hooks = Hooks()
            _ = try asked(&hooks, delay: 0.05)
            hooks.add("PostToolUse", 10.6, #""tool_use_id":"t1",\#(Hooks.toolInput)"#, tool: "Bash", delay: 0.05)
            #expect((request(&hooks, time, delay: 1).opened != nil) == (time > 10.6))
        }
    }

    @Test("a copy of a request whose prompt is open belongs to that prompt")
    func copy() throws {
        var hooks = Hooks()
        let prompt = try asked(&hooks, delay: 0.05)
        #expect(request(&hooks, 10.12, delay: 0.1).opened == nil)
        #expect(hooks.tracker.open.map(\.id) == [prompt.id])
    }
}
