import JSON
import RPC
import Testing

@testable import CdevDialect

struct AnswerMethodTests {
    @Test(
        "what a client tells a session",
        arguments: [
            (
                "permission/respond", #"{"tool_use_id":"toolu_1","decision":"allow","scope":"session"}"#,
                RPCResponse.Request.prompt(
                    id: "toolu_1",
                    .object([("decision", .string("allow")), ("scope", .string("session"))])
                ), #"{"success":true}"#
            ),
            (
                "session/respond", #"{"session_id":"s","type":"question","response":"SQLite"}"#,
                .oldest(sessionID: "s", isQuestion: true, "SQLite"),
                #"{"agent_type":"claude","session_id":"s","status":"responded"}"#
            ),
            (
                "session/send", #"{"session_id":"s","prompt":"go on","mode":"continue"}"#,
                .message(sessionID: "s", "go on"), #"{"agent_type":"claude","session_id":"s","status":"sent"}"#
            ),
            (
                "session/input", #"{"session_id":"s","key":"escape"}"#, .interrupt(sessionID: "s"),
                #"{"agent_type":"claude","session_id":"s","status":"sent"}"#
            ),
        ]
    )
    func told(method: String, params: String, request: RPCResponse.Request, result: String) async throws {
        let store = FakeRPCStore()
        var walk = RPCWalk(store)
        let answer = await walk.call(method, params).0
        let expected = try JSONValue.parse(Array(result.utf8))
        #expect(answer?["result"] == expected, "\(String(describing: answer))")
        #expect(await store.responses == [request])
    }

    @Test("a program asks, and is told what a person said")
    func asked() async throws {
        let store = FakeRPCStore()
        await store.decide(RPCPermissionDecision(isAllowed: true, scope: .session, pattern: "Bash(make all)"))
        var walk = RPCWalk(store)
        let answer = await walk.call(
            "permission/request",
            #"{"session_id":"s","tool_name":"Bash","tool_input":{"command":"make all"},"tool_use_id":"t"}"#
        ).0
        let expected = #"{"decision":"allow","pattern":"Bash(make all)","scope":"session"}"#
        #expect(try answer?["result"] == JSONValue.parse(Array(expected.utf8)))
        let request = RPCPermissionRequest(
            sessionID: "s",
            toolName: "Bash",
            toolInput: .object([("command", .string("make all"))]),
            toolUseID: "t",
            directory: nil,
            seconds: 300
        )
        #expect(await store.asked == [request])
        await store.decide(RPCPermissionDecision(.timeout))
        let late = await walk.call(
            "permission/request",
            #"{"session_id":"s","tool_name":"Bash","tool_input":{},"tool_use_id":"t","timeout_seconds":2}"#
        ).0
        #expect(late?["result"]?["decision"]?.string == "deny" && late?["result"]?["message"]?.string == "timeout")
        #expect(await store.asked.last?.seconds == 2)
    }

    @Test(
        "a wrong word is refused before anybody is told",
        arguments: [
            ("permission/request", #"{"session_id":"s","tool_name":"Bash","tool_input":"x","tool_use_id":"t"}"#),
            ("permission/request", #"{"session_id":"s","tool_name":"Bash","tool_input":{}}"#),
            ("permission/respond", #"{"tool_use_id":"t","decision":"maybe"}"#),
            ("permission/respond", #"{"decision":"allow"}"#),
            ("session/respond", #"{"session_id":"s","type":"plan","response":"yes"}"#),
            ("session/send", #"{"session_id":"s"}"#),
        ]
    )
    func refused(method: String, params: String) async {
        let store = FakeRPCStore()
        var walk = RPCWalk(store)
        #expect(await walk.call(method, params).0?["error"]?["code"] == .integer(-32602))
        let asked = await store.asked.isEmpty
        #expect(await store.responses.isEmpty && asked)
    }
}
