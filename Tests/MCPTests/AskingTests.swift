import EventModel
import HTTPModel
import JSON
import Testing

@testable import MCP

@Suite struct AskingTests {
    private static let grant = MachineGrant(keyID: 1, machine: MachineID(rawValue: 7), machineName: "mac")

    private func call(_ arguments: String, meta: String = #""toolu_1""#) throws -> ToolCall {
        let text = #"{"name":"approve","arguments":\#(arguments),"_meta":{"claudecode/toolUseId":\#(meta)}}"#
        return try ToolCall(JSONValue.parse(Array(text.utf8)))
    }

    private static let usual = #"{"tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"toolu_1"}"#

    @Test func aCallOfClaudeCodeItself() throws {
        let headers: HTTPHeaders = ["x-session-id": "s-1", "x-hold-policy": "always=no", "x-hold-seconds": "60"]
        let asked = try AskedCall(call(Self.usual), headers, by: Self.grant)
        #expect((asked.toolName, asked.toolUseID) == ("Bash", "toolu_1"))
        #expect((asked.session, asked.policy, asked.seconds) == ("s-1", "always=no", 60))
        #expect(asked.input["command"]?.string == "ls")
        let plain = try AskedCall(call(Self.usual), [:], by: Self.grant)
        #expect((plain.session, plain.policy, plain.seconds) == (nil, nil, 3600))
    }

    @Test(arguments: [#""toolu_2""#, "null", "1"])
    func aCallOfTheModel(meta: String) throws {
        let own = try call(Self.usual, meta: meta)
        let error = #expect(throws: APIError.self) { try AskedCall(own, [:], by: Self.grant) }
        #expect(error?.code == "not_this_call")
    }

    @Test(arguments: [
        #"{"tool_name":"","input":{},"tool_use_id":"toolu_1"}"#, #"{"tool_name":"Bash","tool_use_id":"toolu_1"}"#,
        #"{"tool_name":"Bash","input":[],"tool_use_id":"toolu_1"}"#, #"{"tool_name":"Bash","input":{}}"#,
        #"{"tool_name":"Bash","input":{},"tool_use_id":"a\"b"}"#,
    ])
    func oddArguments(arguments: String) throws {
        let odd = try call(arguments)
        let error = #expect(throws: APIError.self) { try AskedCall(odd, [:], by: Self.grant) }
        #expect(error?.code == "invalid_parameter")
    }

    @Test func anAnswerHasNoInput() {
        #expect(ApproveTool.output(.allowed(permissions: []))?.text == #"{"behavior":"allow"}"#)
        #expect(
            ApproveTool.output(.denied(message: "no", isInterrupt: true))?.text
                == #"{"behavior":"deny","message":"no","interrupt":true}"#
        )
        #expect(ApproveTool.output(.elsewhere) == nil)
        #expect(ApproveTool.output(.allowed(permissions: []))?.isError == false)
    }

    private func question(_ arguments: String, _ headers: HTTPHeaders = [:]) throws -> PersonQuestion {
        let text = #"{"name":"ask_person","arguments":\#(arguments),"_meta":{"claudecode/toolUseId":"toolu_9"}}"#
        return try PersonQuestion(ToolCall(JSONValue.parse(Array(text.utf8))), headers, by: Self.grant)
    }

    @Test func aQuestion() throws {
        let asked = try question(
            #"{"question":"Which?","choices":["a","b"],"timeout_seconds":5}"#,
            ["x-session-id": "s"]
        )
        #expect((asked.text, asked.choices, asked.seconds) == ("Which?", ["a", "b"], 5))
        #expect((asked.toolUseID, asked.session, asked.policy) == ("toolu_9", "s", nil))
        let plain = try question(#"{"question":"Which?","choices":null}"#)
        #expect((plain.choices, plain.seconds) == ([], 600))
    }

    @Test(arguments: [
        "{}", #"{"question":" "}"#, #"{"question":7}"#, #"{"question":"a","choices":["b","b"]}"#,
        #"{"question":"a","choices":"b"}"#, #"{"question":"a","choices":["1","2","3","4","5"]}"#,
        #"{"question":"a","choices":[1]}"#, #"{"question":"a","timeout_seconds":0}"#,
        #"{"question":"a","timeout_seconds":3601}"#, #"{"question":"a","timeout_seconds":"5"}"#,
        #"{"question":"a","b":1}"#,
    ])
    func oddQuestions(arguments: String) {
        let error = #expect(throws: APIError.self) { try question(arguments) }
        #expect(error?.code == "invalid_parameter")
    }

    @Test func answersToQuestions() {
        let reply = PersonAnswer.replied(PersonReply(text: "b", note: "soon"))
        let said = AskPersonTool.output(reply, to: ["a", "b"])
        #expect(said?.text == #"{"answered":true,"answer":"b","is_choice":true,"note":"soon"}"#)
        #expect(said?.isError == false)
        let refused = AskPersonTool.output(.denied(message: "no", isInterrupt: false), to: [])
        #expect(refused?.text == #"{"answered":false,"reason":"no"}"#)
        #expect(refused?.isError == false && AskPersonTool.output(.elsewhere, to: []) == nil)
    }

    @Test func aFewQuestionsAtATime() throws {
        let (questions, calls) = (OpenQuestions(), WaitingCalls())
        var places = try (0..<4).map { _ in try questions.take(for: "a", calls) }
        let error = #expect(throws: APIError.self) { try questions.take(for: "a", calls) }
        #expect(error?.code == "too_many_questions")
        places.append(try questions.take(for: "b", calls))
        places.removeFirst()
        _ = try questions.take(for: "a", calls)
        withExtendedLifetime(places) {}
    }

    @Test(arguments: [nil, "always=no"])
    func whatAClientGivesBack(policy: String?) {
        var call = OpenCall(
            event: EventID(name: "x", machine: MachineID(rawValue: 7)),
            machine: MachineID(rawValue: 7),
            machineName: "mac",
            session: "s",
            toolUseID: "toolu_1",
            until: Timestamp(microseconds: 5),
            policy: policy,
            isAlone: true
        )
        (call.choices, call.aheadMicroseconds) = (policy.map { [$0] }, 7)
        let held = HeldAnswer(call, MCPReply(id: .string("a"), version: .june2025), .integer(3))
        #expect(HeldAnswer(held.bytes) == held)
        #expect(HeldAnswer(Array("{}".utf8)) == nil)
    }
}
