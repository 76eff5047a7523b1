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
            (
                "session/input", #"{"session_id":"s","input":"escape"}"#, .message(sessionID: "s", "escape"),
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

    @Test("the name of a key is a key in the cdev dialect, and no key approves", arguments: ["input", "key"])
    func keys(member: String) async {
        let store = FakeRPCStore()
        var walk = RPCWalk(store, client: RPCWalk.cdev)
        for key in ["escape", "esc"] {
            let answer = await walk.call("session/input", #"{"session_id":"s","\#(member)":"\#(key)"}"#).0
            #expect(answer?["result"]?["status"]?.string == "sent")
        }
        #expect(await store.responses == [.escape(sessionID: "s"), .escape(sessionID: "s")])
        for key in [
            "enter", "return", "up", "down", "left", "right", "tab", "backspace", "delete", "home", "end", "pageup",
            "pagedown", "space",
        ] {
            let answer = await walk.call("session/input", #"{"session_id":"s","\#(member)":"\#(key)"}"#).0
            #expect(answer?["error"]?["code"] == .integer(-32004), "\(key)")
        }
        #expect(await store.responses.count == 2)
    }

    @Test("other text is a message in the cdev dialect too")
    func text() async {
        let store = FakeRPCStore()
        var walk = RPCWalk(store, client: RPCWalk.cdev)
        _ = await walk.call("session/input", #"{"session_id":"s","input":"escape the loop"}"#)
        #expect(await store.responses == [.message(sessionID: "s", "escape the loop")])
    }

    @Test("a turn that ends later is not said to be stopped", arguments: [(true, "stopped"), (false, "stopping")])
    func stop(endsAtOnce: Bool, status: String) async {
        let store = FakeRPCStore()
        if !endsAtOnce { await store.endLater() }
        var walk = RPCWalk(store)
        let result = await walk.call("session/stop", #"{"session_id":"s"}"#).0?["result"]
        #expect(result?["status"]?.string == status && result?["success"] == .bool(true))
        #expect(await store.stopped == ["s"])
    }

    @Test("a client that opens a session in the cdev dialect gets the dialogs of its prompts")
    func reminders() async {
        let place = #"{"workspace_id":"ws-1","session_id":"s"}"#
        let store = FakeRPCStore(sessions: [foldedSession("s", ["SessionStart"])].compactMap(\.self))
        var app = RPCWalk(store, client: RPCWalk.cdev)
        var other = RPCWalk(store)
        for method in ["client/session/focus", "workspace/session/watch", "session/watch", "session/start"] {
            #expect(await app.reminders(method, place) == [.session("s")], "\(method)")
            #expect(await other.reminders(method, place) == [], "\(method)")
        }
        #expect(await app.reminders("event/subscribe", "{}") == [])
        #expect(await app.reminders("event/subscribe", #"{"session_id":"s"}"#) == [.session("s")])
        var session = newSession()
        let hello = #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":\#(RPCWalk.cdev)}"#
        #expect(session.receive([UInt8](hello.utf8), in: context).reminders == [.lastSession])
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
