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

    @Test(arguments: [nil, "always=no"])
    func whatAClientGivesBack(policy: String?) {
        let call = OpenCall(
            event: EventID(name: "x", machine: MachineID(rawValue: 7)),
            machine: MachineID(rawValue: 7),
            machineName: "mac",
            session: "s",
            toolUseID: "toolu_1",
            until: Timestamp(microseconds: 5),
            policy: policy,
            isAlone: true
        )
        let held = HeldAnswer(call, MCPReply(id: .string("a"), version: .june2025), .integer(3))
        #expect(HeldAnswer(held.bytes) == held)
        #expect(HeldAnswer(Array("{}".utf8)) == nil)
    }
}
