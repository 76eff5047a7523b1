import ClaudeRunner
import JSON
import Testing

@testable import MonitorAgent

@Suite struct ToolCallsTests {
    private let input = JSONValue.object([("a", .integer(1)), ("b", .string("x"))])

    private func call(_ id: String, by name: String = "one", in key: String = "s") -> ToolCalls.Call {
        ToolCalls.Call(
            id: id,
            key: key,
            name: "mcp__git__status",
            arguments: input,
            by: AgentCommand.Person(kind: "device", id: name, name: nil)
        )
    }

    private func prompt(
        _ input: JSONValue,
        name: String = "mcp__git__status",
        use: String = "toolu_mcp_call_1"
    ) -> OpenPrompt {
        OpenPrompt(id: "r", toolUseID: use, agentID: nil, toolName: name, request: .object([("input", input)]))
    }

    private func running(_ ids: String...) throws -> ToolCalls {
        var calls = ToolCalls()
        for id in ids {
            try calls.ask(call(id))
            calls.approve(id, now: 0)
            _ = try calls.begin(id, in: "s", now: 1)
        }
        return calls
    }

    @Test func aCallRunsOnceAndOnlyWhenApproved() throws {
        var calls = ToolCalls()
        try calls.ask(call("1"))
        #expect(throws: CommandRefusal.self) { try calls.begin("1", in: "s", now: 0) }
        calls.approve("1", now: 0)
        #expect(throws: CommandRefusal.self) { try calls.begin("1", in: "other", now: 1) }
        #expect(try calls.begin("1", in: "s", now: 1) == call("1"))
        #expect(throws: CommandRefusal.self) { try calls.begin("1", in: "s", now: 1) }
        calls.approve("1", now: 1)
        #expect(throws: CommandRefusal.self) { try calls.begin("1", in: "s", now: 1) }
        #expect(throws: CommandRefusal.self) { try calls.begin("2", in: "s", now: 1) }
    }

    @Test func anApprovalIsOverAfterAMinute() throws {
        var calls = ToolCalls()
        try calls.ask(call("1"))
        calls.approve("1", now: 0)
        #expect(calls.deadline == 60 && calls.areIn("s"))
        #expect(throws: CommandRefusal.self) { try calls.begin("1", in: "s", now: 60) }
        calls.expire(now: 60)
        #expect(calls.deadline == nil && !calls.areIn("s"))
    }

    @Test func theClientIsPermittedTheSameCallOnce() throws {
        var calls = try running("1")
        let asked: [(prompt: OpenPrompt, session: String, isPermitted: Bool)] = [
            (prompt(.object([("a", .integer(2)), ("b", .string("x"))])), "s", false),
            (prompt(input, name: "mcp__git__commit"), "s", false),
            (prompt(input), "other", false),
            (prompt(.object([("b", .string("x")), ("a", .integer(1))])), "s", true),
            (prompt(input), "s", false),
        ]
        for (prompt, session, isPermitted) in asked {
            let answer = calls.permits(prompt, in: session)
            #expect(answer == isPermitted)
        }
        var waiting = ToolCalls()
        try waiting.ask(call("1"))
        waiting.approve("1", now: 0)
        let answer = waiting.permits(prompt(input), in: "s")
        #expect(!answer)
    }

    @Test func aSpellingOfTheSameCharactersIsAnotherCall() throws {
        var calls = ToolCalls()
        var call = call("1")
        call.arguments = .object([("a", .string("\u{E9}"))])
        try calls.ask(call)
        calls.approve("1", now: 0)
        _ = try calls.begin("1", in: "s", now: 1)
        let others = [
            calls.permits(prompt(.object([("a", .string("e\u{301}"))])), in: "s"),
            calls.permits(prompt(call.arguments), in: "s"),
        ]
        #expect(others == [false, true])
    }

    @Test func theModelsOwnCallsAreOthers() {
        #expect(prompt(input).isOfRequestedCall)
        #expect(!prompt(input, use: "toolu_01").isOfRequestedCall)
    }

    @Test func callsHaveBounds() throws {
        var calls = ToolCalls()
        // A caller may have at most as many calls as there are free places.
        for (name, count) in [("one", 4), ("two", 2), ("three", 1), ("four", 1)] {
            for number in 0..<count { try calls.ask(call("\(name)\(number)", by: name)) }
            #expect(throws: CommandRefusal.self) { try calls.ask(call("more", by: name)) }
        }
        #expect(throws: CommandRefusal.self) { try calls.ask(call("x", by: "five")) }
        calls.remove("one0")
        try calls.ask(call("x", by: "five"))
    }

    @Test func aResultIsToldInPiecesThatCutNoCharacter() throws {
        var calls = try running("1")
        let text = String(repeating: "a\u{20AC}\u{1F600}", count: 50_000)
        calls.finish("1", Array(text.utf8), now: 1)
        var told = ""
        while told.utf8.count < text.utf8.count {
            let (piece, bytes) = try calls.piece(of: "1", from: told.utf8.count)
            #expect(bytes == text.utf8.count && piece.utf8.count <= ToolCalls.pieceBytes && !piece.isEmpty)
            told += piece
        }
        #expect(told == text)
        #expect(throws: CommandRefusal.self) { try calls.piece(of: "1", from: 0) }
    }

    @Test func onlyCallsThatRunOutliveTheConnection() throws {
        var calls = try running("1")
        try calls.ask(call("2"))
        try calls.ask(call("3"))
        calls.approve("3", now: 0)
        calls.removeAllButRunning()
        #expect(throws: CommandRefusal.self) { try calls.begin("3", in: "s", now: 1) }
        #expect(calls.areIn("s"))
        calls.finish("1", [], now: 1)
        calls.removeAllButRunning()
        #expect(!calls.areIn("s"))
    }

    @Test func theDigestOfADefinitionIsThatOfItsMeaning() throws {
        func digest(_ text: String) throws -> String? {
            ListedTools.digests([try JSONValue.parse(Array(text.utf8))])["a"]
        }
        let one = try digest(#"{"name":"a","inputSchema":{"x":1,"y":[1.5]}}"#)
        #expect(try one != nil && one == digest(#"{"inputSchema":{"y":[1.50],"x":1},"name":"a"}"#))
        #expect(try one != digest(#"{"name":"a","inputSchema":{"x":2,"y":[1.5]}}"#))
    }

    @Test func onlyAResultIsOne() throws {
        func result(_ text: String) throws -> JSONValue? {
            guard let found = ToolResult(try JSONValue.parse(Array(text.utf8))) else { return nil }
            return try JSONValue.parse(found.bytes)
        }
        for text in [
            "{}", #"{"staging":{"ok":false,"error_code":"timeout"}}"#, #"{"content":null}"#,
            #"{"content":[],"staging":{"ok":false}}"#,
        ] {
            #expect(try result(text) == nil)
        }
        #expect(try result(#"{"content":[],"_meta":{}}"#) == .object([("content", .array([]))]))
        #expect(try result(#"{"structuredContent":{"a":1}}"#)?["structuredContent"]?["a"] == .integer(1))
        #expect(try result(#"{"content":"x"}"#)?["content"]?.array?.first?["text"] == .string("x"))
    }

    @Test func decisions() {
        #expect(ToolCallDecision(.allow(updatedInput: nil, permissions: [])) == .approved)
        #expect(ToolCallDecision(.allow(updatedInput: input, permissions: [])) != .approved)
        #expect(ToolCallDecision(.deny(message: "no", interrupt: true)) == .denied(message: "no"))
        let late = PromptReply.deny(message: SessionTable.lateRefusal, interrupt: false)
        #expect(ToolCallDecision(ofMachine: late) == .expired)
        #expect(ToolCallDecision(ofMachine: .allow(updatedInput: nil, permissions: [])) != .approved)
        #expect(throws: CommandRefusal.self) { try ToolCallDecision.abandoned.require() }
    }
}
