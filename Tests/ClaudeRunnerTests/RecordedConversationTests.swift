import ClaudeRunner
import JSON
import Testing

/// What the real client said, played to the conversation.
@Suite struct RecordedConversationTests {
    private let first = "00000000-0000-0000-0000-000000000001"
    private let second = "00000000-0000-0000-0000-000000000002"
    private let one = "00000000-0000-4000-8000-000000000001"
    private let two = "00000000-0000-4000-8000-000000000002"
    private let four = "00000000-0000-4000-8000-000000000004"

    private func events(_ name: String) throws -> [ClaudeSessionEvent] { try Recording(name).play().actions.events }

    @Test func everyRecordingIsThere() {
        #expect(Recording.names.count == 27)
    }

    /// Prompts that end are not open; a turn that has ended does not run.
    @Test(arguments: Recording.names) func theEndIsConsistent(name: String) throws {
        let (conversation, actions) = try Recording(name).play()
        var open = Set(actions.events.openedPrompts.map(\.id))
        open.subtract(actions.events.withdrawnPrompts)
        open.subtract(
            actions.lines.compactMap { line in
                line["type"]?.string == "control_response" ? line["response"]?["request_id"]?.string : nil
            }
        )
        #expect(Set(conversation.prompts.map(\.id)) == open)
        #expect(actions.events.states.last ?? .idle == conversation.state)
        // No state is reported twice in a row.
        for (before, after) in zip(actions.events.states, actions.events.states.dropFirst()) {
            #expect(before != after)
        }
    }

    @Test(arguments: [
        "can-use-tool-allow", "can-use-tool-always", "can-use-tool-deny", "can-use-tool-deny-interrupt",
        "ask-user-question", "exit-plan-mode", "exit-plan-mode-file", "stdio-wins",
    ])
    func aPromptIsOpenedAndAnswered(name: String) throws {
        let recording = try Recording(name)
        let (conversation, actions) = try recording.play()
        #expect(actions.events.openedPrompts.count >= 1)
        #expect(actions.events.withdrawnPrompts.isEmpty)
        #expect(actions.events.states.contains(.waiting))
        #expect(conversation.state == .idle)
        #expect(actions.events.turns.last?.messageIDs == [first])
        #expect(actions.events.turns.last?.isOurs == true)
        // The answers are those that the recording contains, byte for byte as JSON.
        let answers = actions.lines.filter { $0["type"]?.string == "control_response" }
        let recorded = recording.frames.filter { !$0.isFromClient && $0.message["type"]?.string == "control_response" }
        #expect(answers == recorded.map(\.message))
    }

    @Test func aPermissionHasItsCallAndItsRequest() throws {
        let prompt = try #require(try events("can-use-tool-allow").openedPrompts.first)
        #expect(prompt.toolName == "Bash")
        #expect(prompt.toolUseID == "toolu_000000000000000000000001")
        #expect(prompt.agentID == nil)
        #expect(!prompt.isElicitation)
        #expect(prompt.request["permission_suggestions"]?.array?.count == 3)
    }

    @Test func aFormIsAPromptOfItsOwn() throws {
        let prompts = try events("elicitation").openedPrompts
        #expect(prompts.map(\.isElicitation) == [false, true])
        #expect(prompts.last?.request["message"]?.string == "Which branch?")
    }

    @Test func aSubagentAsksAfterTheTurn() throws {
        let found = try events("subagent-ask")
        #expect(found.openedPrompts.first?.agentID == "aa59042a5373048c2")
        #expect(found.turns.map(\.isOurs) == [false, false])
        #expect(found.turns.map(\.origin) == [nil, "task-notification"])
        #expect(found.states == [.running, .waiting, .idle, .running, .idle])
    }

    @Test func callsAskAtTheSameTime() throws {
        let found = try events("parallel-asks")
        #expect(found.openedPrompts.count >= 4)
        #expect(Set(found.openedPrompts.map(\.id)).count == found.openedPrompts.count)
    }

    @Test func aHookThatAnswersFirstWithdrawsThePrompt() throws {
        let found = try events("hook-wins")
        #expect(found.withdrawnPrompts == found.openedPrompts.map(\.id))
        #expect(found.states == [.running, .waiting, .running, .idle])
    }

    @Test func anInterruptWithdrawsThePrompt() throws {
        let found = try events("interrupt-pending-permission")
        #expect(found.withdrawnPrompts.count == 1)
        #expect(found.turns.map(\.terminalReason) == ["aborted_tools"])
        #expect(found.messages(.cancelled) == [one])
    }

    @Test func queuedMessagesRunAfterAnInterrupt() throws {
        let found = try events("interrupt-streaming-queued")
        #expect(found.turns.map(\.messageIDs) == [[one]])
        #expect(found.turns.map(\.terminalReason) == ["aborted_streaming"])
        #expect(found.messages(.started) == [one, two])
        #expect(found.states == [.running])
    }

    /// Two messages become one turn, and one is taken back.
    @Test func resultsAreMatchedByMessages() throws {
        let found = try events("queue-while-busy")
        #expect(found.turns.map(\.messageIDs) == [[one], [two, four]])
        #expect(found.turns.map(\.isOurs) == [true, true])
        #expect(Set(found.messages(.finished)) == [one, two, four])
        #expect(found.messages(.cancelled) == ["00000000-0000-4000-8000-000000000003"])
    }

    @Test func aMessageJoinsTheRunningTurn() throws {
        let found = try events("queue-while-tool")
        #expect(found.turns.map(\.messageIDs) == [[one, two]])
        #expect(found.messages(.finished) == [two, one])
    }

    @Test func textIsTakenBack() throws {
        let found = try events("partial-retracted")
        let message = "msg_000000000000000000000001"
        let texts = found.filter {
            if case .partial = $0 { true } else if case .partialClosed = $0 { true } else { false }
        }
        #expect(
            texts == [
                .partial(messageID: message, text: "hello ", replaces: false),
                .partial(messageID: message, text: "world ", replaces: false),
                .partial(messageID: message, text: "this i", replaces: false),
                .partial(messageID: message, text: "", replaces: true),
                .partialClosed(messageID: message),
            ]
        )
    }

    /// Thinking and inputs of tools are no text.
    @Test func textIsClosedByItsMessage() throws {
        let texts = try events("partial-turn-with-tool").filter {
            if case .partial = $0 { true } else if case .partialClosed = $0 { true } else { false }
        }
        let (before, after) = ("msg_000000000000000000000002", "msg_000000000000000000000004")
        #expect(
            texts == [
                .partial(messageID: before, text: "Let me see.", replaces: false),
                .partialClosed(messageID: before),
                .partial(messageID: after, text: "Done,", replaces: false),
                .partial(messageID: after, text: " it i", replaces: false),
                .partial(messageID: after, text: "s 1.", replaces: false),
                .partialClosed(messageID: after),
            ]
        )
    }

    @Test func clearGoesOnAsAnotherSession() throws {
        let (conversation, actions) = try Recording("control-and-duplicate-uuid").play()
        let new = "32d3ddbf-9514-4d68-b366-70abaa6f1e87"
        #expect(actions.events.contains(.continued(as: new)))
        #expect(conversation.sessionID == new)
        #expect(actions.events.contains(.modeChanged("plan")))
        #expect(conversation.model == "claude-haiku-5-5")
    }

    @Test func errorsOfTheAPIEndTurns() throws {
        let turns = try events("api-errors").turns
        #expect(turns.contains { $0.subtype == "success" && $0.isError && $0.terminalReason == "api_error" })
        #expect(turns.compactMap(\.apiErrorStatus).contains(401))
    }

    @Test func requestsThatNobodyKnowsAreRefused() throws {
        let lines = try Recording("hook-callbacks").play().actions.lines
        let refused = lines.filter { $0["response"]?["subtype"]?.string == "error" }
        #expect(!refused.isEmpty)
        #expect(refused.allSatisfy { $0["response"]?["error"]?.string?.contains("hook_callback") == true })
    }

    @Test func thePromptsOfAnEarlierAgentAreOpenedAgain() throws {
        var conversation = ClaudeConversation(
            sessionID: "s",
            mode: "plan",
            model: nil,
            directory: "/",
            requestPrefix: "r"
        )
        let id = conversation.request(.initialize(systemPrompt: nil)).id
        guard case .object(let members) = try Recording("reinitialize-with-pending").frames[0].message else { return }
        let response = members.filter { $0.0 != "request_id" } + [("request_id", .string(id))]
        let line = JSONValue.object([("type", .string("control_response")), ("response", .object(response))])
        let actions = conversation.receive(line)
        #expect(actions.events.openedPrompts.map(\.id) == ["96299dc9-0769-4c17-aa9c-11b75bbd7853"])
        #expect(actions.events.contains(.modeChanged("default")))
        #expect(conversation.state == .waiting)
    }
}
