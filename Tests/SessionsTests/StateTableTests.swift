import EventModel
import Testing

@testable import Sessions

/// A table of hook sequences and the state after each.
@Suite("State by evidence")
struct StateTableTests {
    struct Step: Sendable {
        var hook: String
        var fields = ""
        var tool: String?

        init(_ hook: String, _ fields: String = "", tool: String? = nil) {
            (self.hook, self.fields, self.tool) = (hook, fields, tool)
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var steps: [Step]
        var state: Session.State
        var agents = 0
        /// Whether the sequence gives the state in any order of arrival. Prompts depend on the order of the log.
        var anyOrder = true

        var testDescription: String { name }
    }

    private static let prompt = Step("UserPromptSubmit", #""prompt":"x""#)
    private static let stop = Step("Stop")
    private static let agentStart = Step("SubagentStart", #""agent_id":"a1","agent_type":"Explore""#)
    private static let agentCall = Step(
        "PostToolUse",
        #""agent_id":"a1","agent_type":"Explore","tool_use_id":"b1","tool_input":{}"#,
        tool: "Bash"
    )
    private static let agentStop = Step("SubagentStop", #""agent_id":"a1","agent_type":"Explore""#)

    private static func stop(listing tasks: String) -> Step { Step("Stop", #""background_tasks":[\#(tasks)]"#) }

    private static func task(_ id: String, _ type: String = "subagent", _ status: String = "running") -> String {
        #"{"id":"\#(id)","type":"\#(type)","status":"\#(status)"}"#
    }

    private static func notification(_ message: String) -> Step {
        Step("Notification", #""message":"\#(message)""#)
    }

    static let compactions: [Row] = [
        Row(
            name: "a manual compaction between turns",
            steps: [
                prompt, stop, Step("PreCompact", #""trigger":"manual""#), Step("SessionStart", #""source":"compact""#),
                Step("PostCompact", #""trigger":"manual""#),
            ],
            state: .idle
        ),
        Row(
            name: "an automatic compaction in a turn",
            steps: [
                prompt, Step("PreCompact", #""trigger":"auto""#), Step("SessionStart", #""source":"compact""#),
                Step("PostCompact", #""trigger":"auto""#),
            ],
            state: .running
        ),
        Row(
            name: "a compaction that was interrupted",
            steps: [prompt, stop, Step("PreCompact", #""trigger":"manual""#)],
            state: .idle
        ),
        Row(
            name: "changes of settings between turns",
            steps: [
                prompt, stop, Step("PreModelSwitch", #""to_model":"opus""#), Step("ConfigChange", #""source":"user""#),
                Step("CwdChanged", #""new_cwd":"/src""#), Step("InstructionsLoaded"),
            ],
            state: .idle
        ),
    ]

    static let agents: [Row] = [
        Row(
            name: "an agent that the end of the turn lists",
            steps: [prompt, agentStart, stop(listing: task("a1")), agentCall],
            state: .running,
            agents: 1
        ),
        Row(
            name: "the listed agent has not been active since",
            steps: [prompt, agentStart, stop(listing: task("a1"))],
            state: .running,
            agents: 1
        ),
        Row(
            name: "the listed agent stops",
            steps: [prompt, agentStart, stop(listing: task("a1")), agentCall, agentStop],
            state: .idle
        ),
        Row(
            name: "one of two listed agents stops",
            steps: [prompt, agentStart, stop(listing: task("a1") + "," + task("a2")), agentStop],
            state: .running,
            agents: 1
        ),
        Row(
            name: "an agent of a client that lists none",
            steps: [prompt, agentStart, stop, agentCall],
            state: .running,
            agents: 1
        ),
        Row(name: "that agent stops", steps: [prompt, agentStart, stop, agentCall, agentStop], state: .idle),
        Row(
            name: "an agent whose end was lost, in the turn",
            steps: [prompt, agentStart, agentCall, stop],
            state: .idle
        ),
        Row(
            name: "a later end of a turn lists no agents",
            steps: [prompt, agentStart, stop(listing: task("a1")), agentCall, prompt, stop(listing: "")],
            state: .idle
        ),
        Row(
            name: "shells and monitors run on",
            steps: [prompt, stop(listing: task("s1", "shell") + "," + task("m1", "monitor"))],
            state: .idle
        ),
        Row(
            name: "a task that is done",
            steps: [prompt, stop(listing: task("a1", "subagent", "completed"))],
            state: .idle
        ),
        Row(
            name: "the agent stops and lists itself",
            steps: [
                prompt, stop(listing: task("a1")),
                Step("SubagentStop", #""agent_id":"a1","agent_type":"Explore","background_tasks":[\#(task("a1"))]"#),
            ],
            state: .idle
        ),
        Row(
            name: "the session starts again",
            steps: [prompt, stop(listing: task("a1")), Step("SessionStart", #""source":"resume""#)],
            state: .idle
        ),
        Row(
            name: "the session ends",
            steps: [prompt, stop(listing: task("a1")), Step("SessionEnd", #""reason":"other""#)],
            state: .idle
        ),
        Row(
            name: "the main agent goes on meanwhile",
            steps: [prompt, stop(listing: task("a1")), agentCall, prompt],
            state: .running
        ),
        Row(
            name: "the turn failed",
            steps: [prompt, agentStart, Step("StopFailure", #""error":"overloaded""#), agentCall],
            state: .error
        ),
        Row(
            name: "an internal helper",
            steps: [
                prompt, stop, Step("PreToolUse", #""agent_id":"h1","agent_type":"","tool_input":{}"#, tool: "Read"),
            ],
            state: .idle
        ),
        Row(
            name: "an agent asks after the turn",
            steps: [
                prompt, agentStart, stop(listing: task("a1")),
                Step(
                    "PermissionRequest",
                    #""agent_id":"a1","agent_type":"Explore","tool_input":{"command":"ls"}"#,
                    tool: "Bash"
                ),
            ],
            state: .waiting,
            agents: 1,
            anyOrder: false
        ),
    ]

    static let notifications: [Row] = [
        ("Claude needs your permission to use Bash", .waiting), ("Claude needs your permission", .waiting),
        ("Claude Code needs your approval for the plan", .waiting), ("Claude Code needs your attention", .waiting),
        ("Claude is waiting for your input", .running), ("Your plan was updated", .running),
    ].map { (message: String, state: Session.State) in
        let call = Step("PreToolUse", #""tool_input":{"command":"ls"}"#, tool: "Bash")
        return Row(name: message, steps: [prompt, call, notification(message)], state: state, anyOrder: false)
    }

    @Test("the state after the last hook", arguments: compactions + agents + notifications)
    func state(_ row: Row) throws {
        var hooks = Hooks()
        for (second, step) in row.steps.enumerated() {
            hooks.add(step.hook, Double(second * 10), step.fields, tool: step.tool, delay: 0.05)
        }
        let session = try #require(hooks.state.session)
        #expect(session.state == row.state)
        #expect(session.background?.agents ?? 0 == row.agents)
        #expect((session.state == .waiting) == (session.waitingFor != nil))
        #expect(SessionState(id: "s1", stored: hooks.state.stored()) == hooks.state)
    }

    @Test("any order of arrival gives the same state", arguments: (compactions + agents).filter(\.anyOrder))
    func order(_ row: Row) throws {
        var random = SeededGenerator(seed: 7)
        for _ in 0..<50 {
            var state = SessionState(id: "s1")
            for (seq, (second, step)) in row.steps.enumerated().shuffled(using: &random).enumerated() {
                let event = Hooks.event(
                    step.hook,
                    Double(second * 10),
                    step.fields,
                    tool: step.tool,
                    seq: Int64(second + 1),
                    delay: 0.05
                )
                state.apply(CommittedEvent(seq: Int64(seq + 1), event: event.event, workspaceID: nil))
            }
            let session = try #require(state.session)
            #expect((session.state, session.background?.agents ?? 0) == (row.state, row.agents))
        }
    }

    @Test("background work is dated by the end of the turn")
    func since() throws {
        var hooks = Hooks()
        hooks.add("UserPromptSubmit", 0, #""prompt":"x""#)
        hooks.add("Stop", 10, #""background_tasks":[\#(StateTableTests.task("a1"))]"#)
        hooks.add("PostToolUse", 30, #""agent_id":"a1","agent_type":"Explore","tool_input":{}"#, tool: "Bash")
        let session = try #require(hooks.state.session)
        #expect(session.background == Session.Background(agents: 1, since: Hooks.time(10)))
        #expect(session.stateSince == Hooks.time(10))
    }

    @Test("a notification without a type opens the prompt of a dialog")
    func prompt() throws {
        var hooks = Hooks()
        hooks.add("UserPromptSubmit", 0, #""prompt":"x""#)
        hooks.add("Notification", 12, #""message":"Claude needs your permission to use Bash""#)
        let prompt = try #require(hooks.state.session?.prompts.first)
        #expect((prompt.kind, prompt.source) == (.permission, .dialog))
        hooks.add("PostToolUse", 20, Hooks.toolInput, tool: "Bash")
        #expect(hooks.state.session?.prompts == [])
    }

    @Test("the type of a notification that was stored without one follows from its payload")
    func storedNotification() throws {
        let stored = Hooks.event("Notification", 1, #""message":"Claude needs your permission to use Bash""#)
            .replacing { $0.facts.detail = nil }
        #expect(HookEvent(stored)?.detail == NotificationType.permissionPrompt)
    }

    @Test("activity is dated by the server's clock if the offset of the machine's clock is known")
    func slowClock() throws {
        var story = Story()
        story.add(.userPromptSubmit, at: 0) {
            $0.receivedAt = Story.time(3600)
            $0.facts.clockOffset = -3590
        }
        #expect(try story.session.lastActivityAt == Story.time(3590))
        story.add(.stop, at: 20) {
            $0.receivedAt = Story.time(3600)
            $0.facts.clockOffset = -3590
        }
        #expect(try story.session.lastActivityAt == Story.time(3600))
        #expect(try story.session.stateSince == Story.time(20))
    }

    @Test("an event of a fast clock that was sent late happened before it was received")
    func fastClock() throws {
        var story = Story()
        story.add(.userPromptSubmit, at: 3700) {
            $0.receivedAt = Story.time(3720)
            $0.facts.clockOffset = 600
        }
        #expect(try story.session.lastActivityAt == Story.time(3100))
        story.add(.userPromptSubmit, at: 3730) { $0.facts.clockOffset = 600 }
        #expect(try story.session.lastActivityAt == Story.time(3730))
    }
}
