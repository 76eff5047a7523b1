import ClaudeRunner
import JSON
import Testing

@Suite struct ClaudeConversationTests {
    private let id = "00000000-0000-4000-8000-000000000001"

    private func ask(_ name: String) -> JSONValue {
        json(
            #"{"type":"control_request","request_id":"\#(name)","request":"#
                + #"{"subtype":"can_use_tool","tool_name":"Bash","input":{}}}"#
        )
    }

    @Test func aMessageIsSavedAndThenWritten() throws {
        var conversation = readyConversation()
        let actions = try conversation.send(id: id, content: .string("hi"), asCommand: false)
        guard case .save = actions.first, case .write(id, _) = actions.dropFirst().first else {
            Issue.record("\(actions)")
            return
        }
        #expect(
            actions.lines == [
                json(
                    #"{"type":"user","message":{"role":"user","content":"hi"},"parent_tool_use_id":null,"#
                        + #""session_id":"","uuid":"\#(id)"}"#
                )
            ]
        )
        #expect(conversation.queue == [id])
        #expect(conversation.unfinished == [id])
        #expect(conversation.state == .running)
    }

    @Test func theSameMessageIsWrittenOnce() throws {
        var conversation = readyConversation()
        _ = try conversation.send(id: id, content: .string("hi"), asCommand: false)
        #expect(try conversation.send(id: id, content: .string("hi"), asCommand: false).isEmpty)
        _ = conversation.receive(json(#"{"type":"command_lifecycle","command_uuid":"\#(id)","state":"started"}"#))
        #expect(try conversation.send(id: id, content: .string("hi"), asCommand: false).isEmpty)
        _ = conversation.receive(json(#"{"type":"command_lifecycle","command_uuid":"\#(id)","state":"completed"}"#))
        #expect(try conversation.send(id: id, content: .string("hi"), asCommand: false).isEmpty)
    }

    @Test func aMessageThatWasNotWrittenCanBeSentAgain() throws {
        var conversation = readyConversation()
        _ = try conversation.send(id: id, content: .string("hi"), asCommand: false)
        _ = conversation.unsent(id: id)
        #expect(conversation.state == .idle)
        #expect(try !conversation.send(id: id, content: .string("hi"), asCommand: false).isEmpty)
    }

    @Test(arguments: [
        ("/etc/hosts is", " /etc/hosts is"), ("/clear", " /clear"), (" /clear", "  /clear"), ("\n/clear", " \n/clear"),
        ("a /clear", "a /clear"), ("", ""), ("!ls", "!ls"),
    ])
    func aSlashIsPlainText(text: String, sent: String) throws {
        var conversation = readyConversation()
        let line = try conversation.send(id: id, content: .string(text), asCommand: false).lines.first
        #expect(line?["message"]?["content"]?.string == sent)
    }

    @Test func aSlashInABlockIsPlainText() throws {
        var conversation = readyConversation()
        let content = json(#"[{"type":"image","source":{}},{"type":"text","text":"/clear"}]"#)
        let line = try conversation.send(id: id, content: content, asCommand: false).lines.first
        #expect(line?["message"]?["content"]?.array?.last?["text"]?.string == " /clear")
        #expect(line?["message"]?["content"]?.array?.first?["type"]?.string == "image")
    }

    /// The client looks at the last text.
    @Test func aSlashIsPlainTextInEachBlock() throws {
        var conversation = readyConversation()
        let content = json(#"[{"type":"text","text":"/a"},{"type":"text","text":"b"},{"type":"text","text":"/clear"}]"#)
        let line = try conversation.send(id: id, content: content, asCommand: false).lines.first
        let texts = line?["message"]?["content"]?.array?.map { $0["text"]?.string }
        #expect(texts == [" /a", "b", " /clear"])
    }

    @Test(arguments: ["/compact", "/clear", "/context", "/model opus", "/tidy up"])
    func fewCommandsAreAllowed(text: String) throws {
        var conversation = readyConversation()
        _ = conversation.receive(json(#"{"type":"system","subtype":"init","skills":["tidy"]}"#))
        let line = try conversation.send(id: id, content: .string(text), asCommand: true).lines.first
        #expect(line?["message"]?["content"]?.string == text)
    }

    @Test(arguments: [
        "/config", "/mcp add x", "/login", "/tidy", "clear", "", "/", " /clear", "/clearx", "/clear/../config",
    ])
    func otherCommandsAreNot(text: String) {
        var conversation = readyConversation()
        #expect(throws: ClaudeError.self) {
            try conversation.send(id: id, content: .string(text), asCommand: true)
        }
        #expect(conversation.queue.isEmpty)
    }

    @Test func aCommandInTwoBlocksIsNot() {
        var conversation = readyConversation()
        let content = json(#"[{"type":"text","text":"/clear"},{"type":"text","text":"x"}]"#)
        #expect(throws: ClaudeError.self) { try conversation.send(id: id, content: content, asCommand: true) }
    }

    @Test func aMessageHasALimit() {
        var conversation = readyConversation()
        let text = String(repeating: "x", count: ClaudeConversation.lineLimit)
        #expect(throws: ClaudeError.messageTooLong(limit: ClaudeConversation.lineLimit)) {
            try conversation.send(id: id, content: .string(text), asCommand: false)
        }
        #expect(conversation.queue.isEmpty)
    }

    @Test func linesContainNoLineBreaks() throws {
        var conversation = readyConversation()
        let actions = try conversation.send(id: id, content: .string("a\nb\u{2028}c\u{85}"), asCommand: false)
        guard case .write(_, let line) = actions[1] else { return }
        #expect(line.filter { $0 == 10 }.count == 1)
        #expect(line.last == 10)
    }

    @Test func anAnswerThatDoesNotFitLeavesThePromptOpen() throws {
        var conversation = readyConversation()
        _ = conversation.receive(ask("p"))
        #expect(throws: ClaudeError.unfitReply) {
            try conversation.answer(prompt: "p", .elicitation(action: "accept", content: nil))
        }
        #expect(conversation.prompts.map(\.id) == ["p"])
        let form = json(#"{"type":"control_request","request_id":"f","request":{"subtype":"elicitation"}}"#)
        _ = conversation.receive(form)
        #expect(throws: ClaudeError.unfitReply) {
            try conversation.answer(prompt: "f", .deny(message: "no", interrupt: false))
        }
        #expect(throws: ClaudeError.unfitReply) {
            try conversation.answer(prompt: "f", .elicitation(action: "agree", content: nil))
        }
    }

    @Test func aPromptIsAnsweredOnce() throws {
        var conversation = readyConversation()
        _ = conversation.receive(ask("p"))
        let allow = PromptReply.allow(updatedInput: nil, permissions: [])
        let lines = try #require(try conversation.answer(prompt: "p", allow)).lines
        #expect(
            lines == [
                json(
                    #"{"type":"control_response","response":{"subtype":"success","request_id":"p","#
                        + #""response":{"behavior":"allow"}}}"#
                )
            ]
        )
        #expect(try conversation.answer(prompt: "p", allow) == nil)
        #expect(try conversation.answer(prompt: "other", allow) == nil)
    }

    @Test func aPromptIsOpenedOnce() {
        var conversation = readyConversation()
        #expect(conversation.receive(ask("p")).events.openedPrompts.count == 1)
        #expect(conversation.receive(ask("p")).isEmpty)
    }

    @Test func repliesComeBackByTheirRequest() {
        var conversation = readyConversation()
        let mode = conversation.request(.setMode("plan")).id
        let usage = conversation.request(.contextUsage).id
        #expect(mode != usage)
        let answered = conversation.receive(success(usage, json(#"{"totalTokens":1}"#)))
        #expect(answered == [.resolve(request: usage, .success(json(#"{"totalTokens":1}"#)))])
        let refused = json(
            #"{"type":"control_response","response":{"subtype":"error","request_id":"\#(mode)","#
                + #""error":"invalid_mode"}}"#
        )
        #expect(conversation.receive(refused) == [.resolve(request: mode, .failure("invalid_mode"))])
        // Twice, or to an earlier agent.
        #expect(conversation.receive(refused).isEmpty)
        #expect(conversation.receive(success("other-1", .null)).isEmpty)
    }

    @Test func anInterruptTellsWhatItTookBack() throws {
        var conversation = readyConversation()
        _ = try conversation.send(id: id, content: .string("a"), asCommand: false)
        let request = conversation.request(.interrupt(cancelQueued: true))
        #expect(request.actions.lines.first?["request"]?["cancel_queued"]?.bool == true)
        let found = conversation.receive(success(request.id, json(#"{"still_queued":[],"cancelled":["\#(id)"]}"#)))
        #expect(found.events.messages(.cancelled) == [id])
        // The client also says so itself.
        let line = json(#"{"type":"command_lifecycle","command_uuid":"\#(id)","state":"cancelled"}"#)
        #expect(conversation.receive(line).isEmpty)
        #expect(conversation.state == .idle)
    }

    @Test func theEndSettlesEverything() throws {
        var conversation = readyConversation()
        _ = conversation.receive(ask("p"))
        let request = conversation.request(.contextUsage).id
        let delta = #"{"index":0,"delta":{"type":"text_delta","text":"a"}}"#
        _ = conversation.receive(json(#"{"type":"stream_event","api_message_id":"m","event":\#(delta)}"#))
        let actions = conversation.exited(code: nil, signal: 9, standardError: [])
        #expect(actions.contains(.resolve(request: request, .notRunning)))
        #expect(
            actions.events == [
                .partialClosed(messageID: "m"), .promptWithdrawn(id: "p"), .state(.ended),
                .exited(code: nil, signal: 9, standardError: []),
            ]
        )
        #expect(conversation.exited(code: nil, signal: 9, standardError: []).isEmpty)
        #expect(conversation.receive(ask("q")).isEmpty)
        #expect(throws: ClaudeError.notRunning) {
            try conversation.send(id: id, content: .string("a"), asCommand: false)
        }
    }

    /// Their frames were lost, so they may be sent again.
    @Test func anIdleClientHasNoMessagesOfAnEarlierAgent() throws {
        var conversation = readyConversation(unfinished: [id])
        #expect(conversation.queue.isEmpty)
        #expect(try !conversation.send(id: id, content: .string("a"), asCommand: false).isEmpty)
    }

    @Test func aRunningClientStillHasThem() throws {
        var conversation = readyConversation(reply: [("session_state", .string("running"))], unfinished: [id])
        #expect(conversation.queue == [id])
        #expect(conversation.state == .running)
        let end = json(#"{"type":"result","subtype":"success","user_message_uuids":["\#(id)"]}"#)
        let found = conversation.receive(end).events
        #expect(found.messages(.finished) == [id])
        #expect(found.turns.map(\.isOurs) == [true])
    }

    @Test func aLostLineAsksForTheOpenPrompts() {
        var conversation = readyConversation()
        _ = conversation.receive(ask("p"))
        let lines = conversation.lineLost().lines
        #expect(lines.first?["request"]?["subtype"]?.string == "initialize")
        let request = lines.first?["request_id"]?.string ?? ""
        let pending: [(String, JSONValue)] = [("pending_permission_requests", .array([ask("q")]))]
        let state = json(#"{"session_state":"requires_action"}"#)
        let found = conversation.receive(success(request, state, pending)).events
        #expect(found.withdrawnPrompts == ["p"])
        #expect(found.openedPrompts.map(\.id) == ["q"])
    }

    @Test(arguments: ["{}", "[]", "null", "1", #"{"type":1}"#, #"{"type":"control_request"}"#, #"{"type":"system"}"#])
    func whatNobodyKnowsIsIgnored(text: String) {
        var conversation = readyConversation()
        #expect(conversation.receive(json(text)).isEmpty)
    }

    @Test func aPromptIsAppendedOrReplacesTheClientsOwn() {
        var conversation = readyConversation()
        let appended = conversation.request(.initialize(systemPrompt: "s", isAppended: true)).actions.lines.first
        #expect(appended?["request"]?["appendSystemPrompt"] == .string("s"))
        #expect(appended?["request"]?["systemPrompt"] == nil)
    }

    @Test func theRequestsToTheClientAreAList() {
        let all: [ControlRequest] = [
            .initialize(systemPrompt: "s"), .interrupt(cancelQueued: false), .cancelMessage("m"), .setMode("plan"),
            .setModel(nil), .setMaxThinkingTokens(nil), .rename("t"), .contextUsage, .plan, .models, .mcpStatus,
            .setMCPServers(.object([])), .callMCPTool(name: "mcp__a__b", arguments: .null),
            .rewindFiles(userMessageID: "m", dryRun: true), .rewindConversation(messageID: "m"), .stopTask("t"),
            .endSession, .setDenyRules(["Edit(//a)"]),
        ]
        var conversation = readyConversation()
        let requests = all.compactMap { conversation.request($0).actions.lines.first?["request"] }
        #expect(
            requests.compactMap { $0["subtype"]?.string } == [
                "initialize", "interrupt", "cancel_async_message", "set_permission_mode", "set_model",
                "set_max_thinking_tokens", "rename_session", "get_context_usage", "get_plan", "list_models",
                "mcp_status", "mcp_set_servers", "mcp_call", "rewind_files", "rewind_conversation", "stop_task",
                "end_session", "apply_flag_settings",
            ]
        )
        #expect(requests[0]["systemPrompt"] == .array([.string("s")]))
        #expect(requests[1]["cancel_queued"] == nil)
        #expect(requests[4]["model"] == .null)
        #expect(requests[12]["check_permissions"] == .bool(true))
        #expect(requests[17]["settings"] == json(#"{"permissions":{"deny":["Edit(//a)"]}}"#))
    }
}
