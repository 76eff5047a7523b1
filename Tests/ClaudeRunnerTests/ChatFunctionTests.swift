import JSON
import Testing

@testable import ClaudeRunner

/// The frames are those of the client 2.1.332.
@Suite struct ChatFunctionTests {
    private func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

    private func lines(_ actions: [ChatConversation.Action]) throws -> [JSONValue] {
        try actions.compactMap { action in
            guard case .write(let bytes) = action else { return nil }
            return try JSONValue.parse(bytes)
        }
    }

    private func end(_ actions: [ChatConversation.Action]) -> ChatEnd? {
        for case .ended(let end) in actions { return end }
        return nil
    }

    /// A conversation that has asked.
    private func asking(_ names: [String] = ["look"], schema: JSONValue? = nil) throws -> ChatConversation {
        let functions = names.map {
            ChatFunction(name: $0, description: nil, parameters: .object([("type", .string("object"))]))
        }
        var conversation = ChatConversation(
            ChatStart(
                id: "00000000-0000-4000-8000-000000000001",
                client: ChatClient(directory: "/room", executable: "/bin/claude", environment: []),
                content: .string("now"),
                functions: functions,
                schema: schema
            )
        )
        let begin = try lines(conversation.begin())[0]["request"]
        #expect(begin?["sdkMcpServers"] == (names.isEmpty ? nil : .array([.string("client")])))
        #expect(begin?["jsonSchema"] == schema)
        let ready = #"{"type":"control_response","response":{"subtype":"success","request_id":"chat-begin"}}"#
        _ = conversation.receive(try json(ready))
        return conversation
    }

    private func event(_ text: String) throws -> JSONValue {
        try json(#"{"type":"stream_event","parent_tool_use_id":null,"event":\#(text)}"#)
    }

    private func callFrames(_ name: String, id: String = "toolu_1", index: Int = 0) throws -> [JSONValue] {
        [
            try event(
                #"{"type":"content_block_start","index":\#(index),"content_block":{"type":"tool_use","id":"\#(id)","#
                    + #""name":"\#(name)","input":{}}}"#
            ),
            try event(
                #"{"type":"content_block_delta","index":\#(index),"delta":{"type":"input_json_delta","#
                    + #""partial_json":"{\"a\": 1.0}"}}"#
            ),
        ]
    }

    private let started = #"{"type":"message_start","message":{"id":"m","usage":{"input_tokens":5,"output_tokens":1}}}"#
    private let stopped = #"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}"#

    private func spent(_ dollars: String) throws -> JSONValue {
        try json(
            #"{"type":"control_response","response":{"subtype":"success","request_id":"chat-usage","#
                + #""response":{"session":{"total_cost_usd":\#(dollars)}}}}"#
        )
    }

    private func called(_ conversation: inout ChatConversation) throws -> ChatEnd? {
        let frames = try [event(started)] + callFrames("mcp__client__look") + [event(stopped)]
        for frame in frames { _ = conversation.receive(frame) }
        for case .called(let end) in conversation.receive(try spent("0.5")) { return end }
        return nil
    }

    @Test func callsAreToldAsTheModelWroteThem() throws {
        var conversation = try asking()
        let end = try called(&conversation)
        #expect(end?.calls == [ChatCall(id: "toolu_1", name: "look", arguments: #"{"a": 1.0}"#)])
        #expect(end?.cost == 0.5 && end?.usage?["input_tokens"]?.integer == 5)
        #expect(end?.usage?["output_tokens"]?.integer == 9 && conversation.isWaiting)
    }

    @Test(arguments: ["Bash", "mcp__client__other", "mcp__other__look", "look", "mcp__client__"])
    func callsToAnythingElseAreTheClients(name: String) throws {
        var conversation = try asking()
        for frame in try callFrames(name) { _ = conversation.receive(frame) }
        #expect(conversation.receive(try event(stopped)).isEmpty && !conversation.isWaiting)
    }

    @Test func costAndTokensAreThoseSinceTheResults() throws {
        var conversation = try asking()
        _ = try called(&conversation)
        #expect(conversation.proceed(["toolu_1": .array([])]).isEmpty)
        _ = conversation.receive(try event(started))
        _ = conversation.receive(try event(stopped.replacing("tool_use", with: "end_turn")))
        let result = #"{"type":"result","is_error":false,"total_cost_usd":0.75,"usage":{"output_tokens":99}}"#
        let found = end(conversation.receive(try json(result)))
        #expect(found?.cost == 0.25 && found?.usage?["output_tokens"]?.integer == 9 && found?.calls == [])
    }

    @Test func aClientThatDoesNotWaitIsOver() throws {
        var conversation = try asking()
        _ = try called(&conversation)
        #expect(end(conversation.receive(try event(started)))?.failure?.kind == .gone)
        #expect(!conversation.isWaiting && conversation.proceed([:]).isEmpty)
    }

    @Test func whatTheClientLeavesOutIsAFailure() throws {
        let tools = #"{"type":"system","subtype":"init","tools":["mcp__client__look"]}"#
        var conversation = try asking(["look", "other"])
        #expect(end(conversation.receive(try json(tools)))?.failure?.kind == .unusable)
        conversation = try asking(["look"])
        #expect(conversation.receive(try json(tools)).isEmpty)
        conversation = try asking([], schema: .object([]))
        #expect(end(conversation.receive(try json(tools)))?.failure?.kind == .unusable)
    }

    @Test func aFormIsWhatTheResultSays() throws {
        var conversation = try asking([], schema: .object([("type", .string("object"))]))
        let text = #"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Well."}}"#
        #expect(conversation.receive(try event(text)).isEmpty)
        let result = #"{"type":"result","is_error":false,"structured_output":{"b":1,"a":[]},"total_cost_usd":1}"#
        let actions = conversation.receive(try json(result))
        #expect(actions.first == .text(#"{"b":1,"a":[]}"#) && end(actions)?.failure == nil)
        conversation = try asking([], schema: .object([]))
        #expect(end(conversation.receive(try json(#"{"type":"result","is_error":false}"#)))?.failure?.kind == .api)
    }
}

@Suite struct FunctionServerTests {
    private func server() -> FunctionServer {
        FunctionServer([ChatFunction(name: "look", description: "d", parameters: .object([]))])
    }

    private func request(_ method: String, _ params: JSONValue = .null) -> JSONValue {
        .object([
            ("subtype", .string("mcp_message")), ("server_name", .string("client")),
            (
                "message",
                .object([("method", .string(method)), ("id", .integer(7)), ("params", params)])
            ),
        ])
    }

    private func call(_ id: String) -> JSONValue {
        request("tools/call", .object([("_meta", .object([("claudecode/toolUseId", .string(id))]))]))
    }

    private func answer(_ lines: [JSONValue]) -> JSONValue? {
        lines.first?["response"]?["response"]?["mcp_response"]
    }

    @Test func functionsAreListed() {
        var server = server()
        let tool = answer(server.receive("r", request("tools/list")))?["result"]?["tools"]?.array?.first
        #expect(tool?["name"] == .string("look") && tool?["inputSchema"] == .object([]))
        #expect(answer(server.receive("r", request("initialize")))?["id"] == .integer(7))
        #expect(answer(server.receive("r", request("resources/list")))?["error"] != nil)
    }

    @Test func aCallIsHeldUntilItsResultIsKnown() {
        var server = server()
        #expect(server.receive("r1", call("one")).isEmpty)
        let given = server.give(["one": .array([.string("x")]), "two": .array([])])
        #expect(given.count == 1 && given[0]["response"]?["request_id"] == .string("r1"))
        #expect(answer(given)?["result"]?["content"] == .array([.string("x")]))
        #expect(server.receive("r2", call("two")).count == 1)
        // A result counts once.
        #expect(server.receive("r3", call("two")).isEmpty)
    }

    @Test func otherRequestsAreRefused() {
        var server = server()
        for request in [JSONValue.object([("subtype", .string("can_use_tool"))]), .null] {
            #expect(server.receive("r", request).first?["response"]?["subtype"] == .string("error"))
        }
        var empty = FunctionServer([])
        #expect(empty.receive("r", call("one")).first?["response"]?["subtype"] == .string("error"))
    }
}
