import EventModel
import Testing

@testable import Sessions

@Suite("Session state")
struct SessionStateTests {
    @Test("a turn runs, waits, runs and ends")
    func turn() throws {
        var story = Story()
        story.add(.sessionStart, at: 0) { $0.facts.detail = "startup" }
        #expect(try story.session.state == .idle)
        story.add(.userPromptSubmit, at: 1) { $0.summary = "fix the build" }
        #expect(try story.session.state == .running)
        story.add(.preToolUse, at: 2, tool: "Bash", input: 7) { $0.facts.toolUseID = "toolu_1" }
        story.add(.permissionRequest, at: 3, tool: "Bash", input: 7)
        let waiting = try story.session
        #expect(waiting.state == .waiting)
        #expect(waiting.waitingFor?.kind == .permission)
        #expect(waiting.waitingFor?.toolName == "Bash")
        #expect(waiting.waitingFor?.toolUseID == "toolu_1")
        #expect(waiting.waitingFor?.since == Story.time(3))
        story.add(.postToolUse, at: 4, tool: "Bash", input: 7) { $0.facts.toolUseID = "toolu_1" }
        #expect(try story.session.state == .running)
        story.add(.stop, at: 5)
        let done = try story.session
        #expect(done.state == .idle)
        #expect(done.messageCount == 2)
        #expect(done.toolCallCount == 1)
        #expect(done.title == "fix the build")
        story.add(.sessionEnd, at: 6) { $0.facts.detail = "prompt_input_exit" }
        let ended = try story.session
        #expect(ended.status(now: Story.time(6)) == .ended)
        #expect(ended.endReason == "prompt_input_exit")
    }

    @Test("a permission stays open while other tools of the turn finish")
    func parallelTools() throws {
        var story = Story()
        story.add(.permissionRequest, at: 1, tool: "Write", input: 1)
        story.add(.postToolUse, at: 2, tool: "Read", input: 2)
        story.add(.preToolUse, at: 3, tool: "Bash", input: 3, agent: "a1")
        #expect(try story.session.waitingFor?.toolName == "Write")
        story.add(.postToolBatch, at: 4)
        #expect(try story.session.waitingFor == nil)
    }

    @Test("a refusal in the terminal, which fires no event, ends with the next prompt")
    func silentRefusal() throws {
        var story = Story()
        story.add(.permissionRequest, at: 1, tool: "Bash", input: 1)
        story.add(.userPromptSubmit, at: 2)
        #expect(try story.session.state == .running)
    }

    @Test("an approval with edited input is matched by its tool_use_id")
    func editedInput() throws {
        var story = Story()
        story.add(.preToolUse, at: 1, tool: "AskUserQuestion", input: 1) { $0.facts.toolUseID = "toolu_9" }
        #expect(try story.session.waitingFor?.kind == .question)
        story.add(.postToolUse, at: 2, tool: "AskUserQuestion", input: 2) { $0.facts.toolUseID = "toolu_9" }
        #expect(try story.session.waitingFor == nil)
    }

    @Test("a permission notification does not outlive the answer")
    func notification() throws {
        var story = Story()
        story.add(.notification, at: 1) { $0.facts.detail = "permission_prompt" }
        #expect(try story.session.state == .waiting)
        story.add(.postToolUse, at: 2, tool: "Bash", input: 1)
        #expect(try story.session.state == .running)
        story.add(.notification, at: 3) { $0.facts.detail = "idle_prompt" }
        #expect(try story.session.state == .running)
    }

    @Test("a permission notification of a subagent's call does not outlive that call")
    func subagentNotification() throws {
        var story = Story()
        story.add(.userPromptSubmit, at: 0)
        story.add(.permissionRequest, at: 1, tool: "Bash", input: 1, agent: "a1")
        story.add(.notification, at: 2) { $0.facts.detail = "permission_prompt" }
        story.add(.postToolUse, at: 3, tool: "Bash", input: 1, agent: "a1")
        #expect(try story.session.state == .running)
    }

    @Test("counts that no session has overflow nothing")
    func hugeCounts() throws {
        var story = Story()
        for second: Int64 in 0...2 {
            story.add(.stop, at: second) {
                $0.facts.usage = TokenUsage(input: .max, output: .max, cacheRead: .min, cacheCreation: 1)
                $0.facts.costUSD = 1.7e308
            }
        }
        #expect(try story.session.tokenUsage.total <= TokenUsage.maximum * 4)
        #expect(try story.session.totalCost?.isFinite == true)
    }

    @Test("internal agents and subagents leave the main agent's state alone")
    func subagents() throws {
        var story = Story()
        story.add(.stop, at: 1)
        story.add(.subagentStop, at: 2) { $0.facts.agentType = "" }
        #expect(try story.session.state == .idle)
        story.add(.preToolUse, at: 3, tool: "Bash", input: 1, agent: "a1")
        #expect(try story.session.state == .running)
        story.add(.permissionRequest, at: 4, tool: "Bash", input: 1, agent: "a1")
        story.add(.stop, at: 5)
        #expect(try story.session.state == .waiting)
        story.add(.subagentStop, at: 6, agent: "a1") { $0.facts.agentType = "Explore" }
        #expect(try story.session.state == .idle)
    }

    @Test("a resumed session lives again; late tool results do not revive an ended one")
    func resume() throws {
        var story = Story()
        story.add(.sessionEnd, at: 1) { $0.facts.detail = "other" }
        story.add(.postToolUse, at: 2, tool: "Bash", input: 1)
        #expect(try story.session.endedAt == Story.time(1))
        story.add(.sessionStart, at: 3) { $0.facts.detail = "resume" }
        #expect(try story.session.endedAt == nil)
    }

    @Test("a machine whose clock is ahead does not look busy for ever")
    func clockAhead() throws {
        var story = Story()
        story.add(.userPromptSubmit, at: 100_000) { $0.receivedAt = Story.time(10) }
        #expect(try story.session.lastActivityAt == Story.time(10))
    }

    @Test("an event from the year 9999 does not decide for ever")
    func farFuture() throws {
        var story = Story()
        story.add(.sessionEnd, at: 250_000_000_000) { $0.receivedAt = Story.time(1) }
        story.add(.userPromptSubmit, at: 2)
        #expect(try story.session.endedAt == nil)
        #expect(try story.session.state == .running)
    }

    @Test("quiet for five minutes is idle")
    func quiet() throws {
        var story = Story()
        story.add(.userPromptSubmit, at: 0)
        #expect(try story.session.status(now: Story.time(299)) == .active)
        #expect(try story.session.status(now: Story.time(300)) == .idle)
    }

    /// Prompts are told from the order of the log: an event that ends one may come before it, and only the times of
    /// events that belong together, as in the two tests below, can tell.
    @Test("any order of arrival gives the same session but for its prompts", arguments: 0..<200)
    func orderOfArrival(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let events = Story.random(using: &random)
        func session(_ events: [MonitorEvent]) -> Session? {
            var state = Story(events).fold
            state.prompts = PromptTracker()
            return state.session
        }
        let inOrder = session(events)
        #expect(session(events.shuffled(using: &random)) == inOrder)
        #expect(session(events.reversed()) == inOrder)
    }

    @Test("a turn that is over waits for nothing, in whatever order it arrives", arguments: 0..<200)
    func orderOfTurn(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        #expect(Story(Story.turn().shuffled(using: &random)).fold.session?.prompts == [])
    }

    @Test("an open request waits, in whatever order the events up to it arrive", arguments: 0..<200)
    func orderOfRequest(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let request = Story.call(.permissionRequest, at: 33, id: 33, use: nil, input: 9)
        let events =
            Story.turn() + [
                Story.event(.userPromptSubmit, at: 30, id: 30),
                Story.call(.preToolUse, at: 32, id: 32, use: "t9", input: 9),
                request,
            ]
        let waiting = try #require(Story(events.shuffled(using: &random)).fold.session?.waitingFor)
        #expect((waiting.kind, waiting.toolName, waiting.since) == (.permission, "Bash", Story.time(33)))
        // Which of the two it is depends on whether the call's start came first.
        #expect(["t9", Prompt.id(request.id)].contains(waiting.toolUseID))
    }

    @Test("a state survives storage", arguments: 0..<50)
    func storage(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let fold = Story(Story.random(using: &random)).fold
        #expect(SessionState(id: "s1", stored: fold.stored()) == fold)
    }
}
