import JSON
import Testing

@testable import ClaudeRunner

/// The frames are those of the client 2.1.332.
@Suite struct ChatConversationTests {
    private func start(_ history: [ChatStart.Message] = [], content: JSONValue = .string("now")) -> ChatStart {
        ChatStart(
            id: "00000000-0000-4000-8000-000000000001",
            client: ChatClient(
                directory: "/room",
                mostTokens: 9,
                stopSequences: ["END"],
                executable: "/bin/claude",
                environment: ["CLAUDE_CODE_MAX_OUTPUT_TOKENS=1", "HOME=/h"]
            ),
            history: history,
            content: content
        )
    }

    private func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

    private func lines(_ actions: [ChatConversation.Action]) throws -> [JSONValue] {
        try actions.compactMap { action in
            guard case .write(let bytes) = action else { return nil }
            return try JSONValue.parse(bytes)
        }
    }

    private let ready =
        #"{"type":"control_response","response":{"subtype":"success","request_id":"chat-begin","response":{}}}"#
    private let loaded = #"{"type":"result","subtype":"success","is_error":false,"num_turns":0,"result":""}"#
    private let ended =
        #"{"type":"result","subtype":"success","is_error":false,"num_turns":1,"stop_reason":"end_turn","#
        + #""total_cost_usd":0.5,"usage":{"input_tokens":3,"output_tokens":4}}"#

    private func delta(_ text: String, _ id: String = "msg_1") -> String {
        #"{"type":"stream_event","parent_tool_use_id":null,"api_message_id":"\#(id)","#
            + #""event":{"type":"content_block_delta","#
            + #""index":0,"delta":{"type":"text_delta","text":"\#(text)"}}}"#
    }

    /// A conversation that has asked.
    private func asking() throws -> ChatConversation {
        var conversation = ChatConversation(start())
        _ = conversation.begin()
        _ = conversation.receive(try json(ready))
        return conversation
    }

    @Test func historyIsLoadedOneByOne() throws {
        var conversation = ChatConversation(
            start([.init(.user, .string("/clear")), .init(.assistant, .string("b")), .init(.user, .string("c"))])
        )
        let begin = try lines(conversation.begin())
        #expect(begin[0]["request"]?["systemPrompt"] == .array([.string(ChatConversation.usualPrompt)]))
        let first = try lines(conversation.receive(try json(ready)))
        #expect(first.map { $0["message"]?["content"] } == [.string(" /clear")])
        #expect(first[0]["shouldQuery"] == .bool(false))
        let second = try lines(conversation.receive(try json(loaded)))
        #expect(second.map { $0["type"]?.string } == ["assistant", "user"])
        #expect(second[0]["message"]?["content"]?.array?[0]["text"] == .string("b"))
        let third = try lines(conversation.receive(try json(loaded)))
        #expect(third.map { $0["message"]?["content"] } == [.string("now")])
        #expect(third[0]["shouldQuery"] == nil)
    }

    @Test func textsComeOnceAndInOrder() throws {
        var conversation = try asking()
        let whole =
            #"{"type":"assistant","parent_tool_use_id":null,"message":{"id":"msg_1","model":"m","#
            + #""content":[{"type":"text","text":"ab"}]}}"#
        let frames = [delta("a"), delta("b"), whole, delta("c", "msg_2")]
        let actions = try frames.flatMap { conversation.receive(try json($0)) }
        #expect(actions == [.text("a"), .text("b"), .text("\n\nc")])
        guard case .ended(let end)? = conversation.receive(try json(ended)).last else {
            Issue.record("no end")
            return
        }
        #expect(end.failure == nil && end.cost == 0.5 && end.usage?["output_tokens"]?.integer == 4)
        #expect(conversation.receive(try json(ended)).isEmpty)
    }

    @Test func theLimitOfTokensEndsTheTurnWithoutAFailure() throws {
        var conversation = try asking()
        _ = conversation.receive(try json(delta("a")))
        let stop =
            #"{"type":"stream_event","parent_tool_use_id":null,"event":{"type":"message_delta","#
            + #""delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":9}}}"#
        #expect(try lines(conversation.receive(try json(stop)))[0]["request"]?["subtype"] == .string("interrupt"))
        #expect(conversation.receive(try json(delta("more", "msg_2"))).isEmpty)
        let aborted =
            #"{"type":"result","subtype":"error_during_execution","is_error":true,"#
            + #""terminal_reason":"aborted_streaming","total_cost_usd":0.1}"#
        guard case .ended(let end)? = conversation.receive(try json(aborted)).last else {
            Issue.record("no end")
            return
        }
        #expect(end.failure == nil && end.stopReason == "max_tokens" && end.usage?["output_tokens"]?.integer == 9)
    }

    @Test(arguments: [
        ("model_not_found", "404", ChatEnd.Failure.Kind.modelNotFound), ("rate_limit", "429", .rateLimit),
        ("authentication_failed", "401", .notLoggedIn), ("server_error", "529", .api),
    ])
    func failures(word: String, status: String, kind: ChatEnd.Failure.Kind) throws {
        var conversation = try asking()
        _ = conversation.receive(
            try json(
                #"{"type":"assistant","parent_tool_use_id":null,"error":"\#(word)","api_error_status":\#(status),"#
                    + #""message":{"id":"x","model":"<synthetic>","content":[{"type":"text","text":"words"}]}}"#
            )
        )
        let result = #"{"type":"result","subtype":"success","is_error":true,"terminal_reason":"api_error"}"#
        guard case .ended(let end)? = conversation.receive(try json(result)).last else {
            Issue.record("no end")
            return
        }
        #expect(end.failure == .init(kind, "words", status: Int64(status)))
    }

    @Test func textThatIsTakenBackIsAFailure() throws {
        var conversation = try asking()
        _ = conversation.receive(try json(delta("a")))
        let broken =
            #"{"type":"stream_event","parent_tool_use_id":null,"event":{"type":"message_stop"},"#
            + #""abandoned_blocks":{"api_message_id":"msg_1","from_block_index":0}}"#
        guard case .ended(let end)? = conversation.receive(try json(broken)).last else {
            Issue.record("no end")
            return
        }
        #expect(end.failure?.kind == .retracted)
    }

    @Test func aMessageThatIsNotFinishedCountsWhatWasWritten() throws {
        let begun =
            #"{"type":"stream_event","parent_tool_use_id":null,"event":{"type":"message_start","message":"#
            + #"{"id":"msg_1","model":"m","usage":{"input_tokens":500,"output_tokens":1}}}}"#
        let aborted =
            #"{"type":"result","subtype":"error_during_execution","is_error":true,"total_cost_usd":0,"#
            + #""usage":{"input_tokens":0,"output_tokens":0}}"#
        var conversation = try asking()
        _ = conversation.receive(try json(begun))
        _ = conversation.receive(try json(delta("written")))
        _ = conversation.interrupt()
        guard case .ended(let end)? = conversation.receive(try json(aborted)).last else {
            Issue.record("no end")
            return
        }
        #expect(end.usage?["input_tokens"]?.integer == 500 && end.usage?["output_tokens"]?.integer == 2)
    }

    @Test func aClientThatEndsIsAFailureOnce() throws {
        var conversation = try asking()
        #expect(conversation.exited("why").count == 1)
        #expect(conversation.exited("why").isEmpty)
    }

    @Test func whatBecomesAnArgument() {
        let client = start().client
        let arguments = client.arguments(id: "i")
        #expect(arguments.contains("--safe-mode") && !arguments.contains { $0.contains("now") })
        let environment = client.wholeEnvironment(id: "i")
        #expect(
            environment.filter { $0.hasPrefix("CLAUDE_CODE_MAX_OUTPUT_TOKENS=") } == ["CLAUDE_CODE_MAX_OUTPUT_TOKENS=9"]
        )
        #expect(environment.contains(#"CLAUDE_CODE_EXTRA_BODY={"stop_sequences":["END"]}"#))
        #expect(environment.contains("CLAUDE_CODE_DISABLE_FILE_MENTIONS=1") && environment.contains("HOME=/h"))
    }

    @Test func noTelemetryReportsAChat() throws {
        var client = start().client
        client.environment += ["CLAUDE_CODE_ENABLE_TELEMETRY=1", "OTEL_LOGS_EXPORTER=otlp", "OTELX=1"]
        let environment = client.wholeEnvironment(id: "i")
        #expect(!environment.contains { $0.hasPrefix("CLAUDE_CODE_ENABLE_TELEMETRY") || $0.hasPrefix("OTEL_") })
        #expect(environment.contains("OTELX=1"))
        let arguments = client.arguments(id: "i")
        let place = try #require(arguments.firstIndex(of: "--settings"))
        let settings = try JSONValue.parse(Array(arguments[place + 1].utf8))
        #expect(settings["env"]?["CLAUDE_CODE_ENABLE_TELEMETRY"] == .string("0"))
    }

    /// What a process was started with for one caller must be nothing of that caller if another may get it.
    @Test func textsOfACallerAreNoPartOfAClientForAnyone() {
        var client = start().client
        #expect(!client.isWithoutTexts)
        client.stopSequences = []
        #expect(client.isWithoutTexts)
        client.choice = .object([("type", .string("tool")), ("name", .string("f"))])
        #expect(!client.isWithoutTexts)
    }
}
