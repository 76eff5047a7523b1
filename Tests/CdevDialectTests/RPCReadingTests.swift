import EventModel
import FanoutSamples
import JSON
import RPC
import Testing
import WSFanout

@testable import CdevDialect

@Suite("RPC methods that read the store")
struct RPCReadingTests {
    private func filled() throws -> FakeRPCStore {
        let running = try #require(foldedSession("s1", ["SessionStart", "UserPromptSubmit"]))
        let old = try #require(foldedSession("s2", ["SessionStart", "Stop"], quiet: 1000))
        let waiting = try #require(foldedSession("s3", ["PermissionRequest"], tool: "Bash", from: 6, quiet: 2000))
        let home = try #require(running.workspaceID)
        return FakeRPCStore(
            sessions: [running, old, waiting],
            workspaces: [workspace(home), workspace("ws-empty", path: "/srv/empty")],
            events: [
                hookEvent(1, "UserPromptSubmit", payload: #"{"prompt":"make it so"}"#),
                hookEvent(
                    2,
                    "PreToolUse",
                    payload: #"{"tool_use_id":"t1","tool_input":{"command":"ls"}}"#,
                    tool: "Bash"
                ),
                hookEvent(
                    3,
                    "PostToolUse",
                    payload: #"{"tool_use_id":"t1","tool_response":{"stdout":"a\nb"}}"#,
                    tool: "Bash"
                ),
                hookEvent(4, "Notification", payload: #"{"message":"hm"}"#),
                hookEvent(5, "Stop", payload: #"{"last_assistant_message":"done"}"#),
                hookEvent(
                    6,
                    "PermissionRequest",
                    payload: #"{"tool_input":{"command":"rm x"}}"#,
                    tool: "Bash",
                    session: "s3"
                ),
            ]
        )
    }

    private func home() throws -> String { try #require(foldedSession("s1", ["Stop"])?.workspaceID) }

    @Test("workspace/list has every workspace with its sessions, and arrays where there are none")
    func workspaceList() async throws {
        var walk = RPCWalk(try filled())
        let result = try #require(await walk.call("workspace/list").0?["result"])
        #expect(result["count"] == .integer(2))
        let first = try #require(result["workspaces"]?.array?.first)
        #expect(first["auto_start"] == .bool(false))
        #expect(first["git"] == nil)
        #expect(first["is_git_repo"] == .bool(true))
        #expect(first["git_state"] == .string("unknown"))
        #expect(
            first["sessions"]?.array?.map { $0["status"] } == ["running", "historical", "running"].map { .string($0) }
        )
        #expect(first["active_session_count"] == .integer(2))
        #expect(first["active_session_id"] == .string("s1"))
        #expect(result["workspaces"]?.array?[1]["sessions"] == .array([]))
        #expect(result["workspaces"]?.array?[1]["has_active_session"] == .bool(false))
    }

    @Test(
        "a workspace is found in any spelling of its id; an unknown one is an error",
        arguments: ["id", "workspace_id"]
    )
    func workspaceGet(spelling: String) async throws {
        var walk = RPCWalk(try filled())
        let id = try home()
        let found = await walk.call("workspace/get", #"{"\#(spelling)":"\#(id)"}"#).0
        #expect(found?["result"]?["id"] == .string(id))
        let status = await walk.call("workspace/status", #"{"\#(spelling)":"\#(id)"}"#).0?["result"]
        #expect(status?["sessions"]?.array?.count == 2)
        #expect(status?["is_being_watched"] == .bool(false))
        for name in ["git_tracker_state", "git_repo_name", "git_last_error", "watched_session_id", "workspace_name"] {
            #expect(status?[name]?.string != nil, "\(name)")
        }
        let unknown = await walk.call("workspace/get", #"{"\#(spelling)":"ws-none"}"#).0
        #expect(unknown?["error"]?["code"] == .integer(-32602))
    }

    @Test("session/state says what the session waits for")
    func state() async throws {
        var walk = RPCWalk(try filled())
        let result = try #require(await walk.call("session/state", #"{"session_id":"s3"}"#).0?["result"])
        #expect(result["status"] == .string("running"))
        #expect(result["claude_state"] == .string("waiting"))
        #expect(result["waiting_for_input"] == .bool(true))
        #expect(result["pending_tool_name"] == .string("Bash"))
        #expect(result["claude_session_id"] == .string("s3"))
        let old = try #require(await walk.call("session/state", #"{"session_id":"s2"}"#).0?["result"])
        #expect(old["status"] == .string("historical"))
        #expect(old["is_running"] == .bool(false))
    }

    @Test(
        "an unknown session is -32010 and named",
        arguments: [
            "session/get", "session/info", "session/state", "session/messages", "session/elements", "session/delete",
        ]
    )
    func unknownSession(method: String) async throws {
        var walk = RPCWalk(try filled())
        let error = await walk.call(method, #"{"session_id":"nope"}"#).0?["error"]
        #expect(error?["code"] == .integer(-32010))
        #expect(error?["data"]?["session_id"] == .string("nope"))
    }

    @Test("lists of sessions tell their total, and session/active only those at work")
    func lists() async throws {
        var walk = RPCWalk(try filled())
        let all = await walk.call("session/list", #"{"limit":2}"#).0?["result"]
        #expect(all?["total"] == .integer(3))
        #expect(all?["sessions"]?.array?.count == 2)
        let other = await walk.call("session/list", #"{"agent_type":"codex"}"#).0?["result"]
        #expect(other?["sessions"] == .array([]))
        let history = await walk.call("workspace/session/history", #"{"workspace_id":"\#(try home())"}"#).0?["result"]
        #expect(history?["sessions"]?.array?.count == 3)
        let active = await walk.call("session/active").0?["result"]
        #expect(active?["sessions"]?.array?.map { $0["id"] } == [.string("s1"), .string("s3")])
        #expect(await walk.call("session/history").0?["error"]?["data"]?["param"] == .string("workspace_id"))
    }

    @Test("messages are the prompts, tool calls, results and answers, in pages of either order")
    func messages() async throws {
        var walk = RPCWalk(try filled())
        let all = try #require(await walk.call("session/messages", #"{"session_id":"s1"}"#).0?["result"])
        #expect(
            all["messages"]?.array?.map { $0["type"] }
                == ["user", "assistant", "user", "assistant"].map { .string($0) }
        )
        #expect(all["messages"]?.array?[0]["message"]?["content"] == .string("make it so"))
        let call = try #require(all["messages"]?.array?[1]["message"]?["content"]?.array?.first)
        #expect(call["input"]?["command"] == .string("ls"))
        #expect(call["id"] == .string("t1"))
        #expect(all["messages"]?.array?[2]["message"]?["content"]?.array?.first?["content"] == .string("a\nb"))
        #expect(all["total"] == .integer(4))
        #expect(all["has_more"] == .bool(false))
        let page = try #require(
            await walk.call("session/messages", #"{"session_id":"s1","limit":1,"offset":1,"order":"desc"}"#).0?[
                "result"
            ]
        )
        #expect(page["messages"]?.array?.map { $0["id"] } == [.integer(3)])
        #expect(page["has_more"] == .bool(true))
        let wrong = await walk.call("session/messages", #"{"session_id":"s1","order":"up"}"#).0
        #expect(wrong?["error"]?["data"]?["param"] == .string("order"))
    }

    @Test("a page that its bytes cut short says that there is more")
    func cutPages() async throws {
        let store = try filled()
        await store.cutPages(to: 1)
        var walk = RPCWalk(store)
        let messages = await walk.call("session/messages", #"{"session_id":"s1"}"#).0?["result"]
        #expect(messages?["messages"]?.array?.count == 1)
        #expect(messages?["has_more"] == .bool(true))
        let replayed = await walk.call("event/replay", #"{"since":{"seq":2}}"#).0?["result"]
        #expect(replayed?["seq"] == .integer(3))
        #expect(replayed?["has_more"] == .bool(true))
        let elements = await walk.call("session/elements", #"{"session_id":"s1"}"#).0?["result"]
        #expect(elements?["pagination"]?["has_more_before"] == .bool(true))
    }

    @Test("a page of the log that found nothing goes on where it has got to")
    func emptyPages() async throws {
        let store = FakeRPCStore()
        await store.endPages(at: 70)
        var walk = RPCWalk(store)
        let replayed = await walk.call("event/replay", #"{"since":{"seq":0},"types":["stop"]}"#).0?["result"]
        #expect(replayed?["events"]?.array?.isEmpty == true)
        #expect(replayed?["seq"] == .integer(70))
        #expect(replayed?["has_more"] == .bool(true))
    }

    @Test("elements carry every member that a chat view needs, and tell what lies beyond the page")
    func elements() async throws {
        var walk = RPCWalk(try filled())
        let all = try #require(await walk.call("session/elements", #"{"session_id":"s1"}"#).0?["result"])
        let kinds = ["user_input", "tool_call", "tool_result", "assistant_text"]
        #expect(all["elements"]?.array?.map { $0["type"] } == kinds.map { .string($0) })
        #expect(all["elements"]?.array?[1]["content"]?["status"] == .string("completed"))
        #expect(all["elements"]?.array?[1]["content"]?["params"]?["command"] == .string("ls"))
        #expect(all["elements"]?.array?[2]["content"]?["line_count"] == .integer(2))
        let page = try #require(
            await walk.call("session/elements", #"{"session_id":"s1","limit":1,"before":"3"}"#).0?["result"]
        )
        #expect(page["elements"]?.array?.map { $0["id"] } == [.string("2")])
        #expect(page["has_more"] == .bool(true))
        #expect(page["pagination"]?["has_more_before"] == .bool(true))
        #expect(page["pagination"]?["has_more_after"] == .bool(true))
        #expect(page["pagination"]?["oldest_id"] == .string("2"))
    }

    @Test("permission/pending shows what is asked, and what it had to leave out")
    func pending() async throws {
        let store = try filled()
        var walk = RPCWalk(store)
        let result = try #require(await walk.call("permission/pending").0?["result"])
        #expect(result["count"] == .integer(1))
        let request = try #require(result["requests"]?.array?.first)
        #expect(request["session_id"] == .string("s3"))
        #expect(request["tool_input"]?["command"] == .string("rm x"))
        #expect(request["content_truncated"] == .bool(false))
        let id = JSONValue.string("prm_00000000000000070000000000000006")
        #expect(request["tool_use_id"] == id)
        let state = await walk.call("session/state", #"{"session_id":"s3"}"#).0?["result"]
        #expect(state?["pending_tool_use_id"] == id)
        await store.leaveOut(["prm_00000000000000070000000000000006"])
        let cut = await walk.call("permission/pending").0?["result"]?["requests"]?.array?.first
        #expect(cut?["tool_input"] == .object([]) && cut?["content_truncated"] == .bool(true))
        let none = await walk.call("permission/pending", #"{"session_id":"s1"}"#).0?["result"]
        #expect(none?["requests"] == .array([]))
        #expect(await walk.call("permission/stats").0?["result"]?["pending"] == .integer(1))
    }

    @Test("event/replay gives a page and where to go on")
    func replay() async throws {
        var walk = RPCWalk(try filled())
        let page = try #require(await walk.call("event/replay", #"{"since":{"seq":1},"limit":2}"#).0?["result"])
        #expect(page["events"]?.array?.map { $0["seq"] } == [.integer(2), .integer(3)])
        #expect(page["seq"] == .integer(3))
        #expect(page["has_more"] == .bool(true))
        let rest = try #require(await walk.call("event/replay", #"{"since":{"seq":3}}"#).0?["result"])
        #expect(rest["events"]?.array?.count == 3)
        #expect(rest["has_more"] == .bool(false))
        let gone = await walk.call("event/replay", #"{"since":{"epoch":"other","seq":3}}"#).0?["result"]
        #expect(gone?["recovered"] == .bool(false))
    }

    @Test("a store that is away is an error that a retry may help")
    func away() async throws {
        let store = try filled()
        await store.goAway()
        var walk = RPCWalk(store)
        let error = await walk.call("session/list").0?["error"]
        #expect(error?["code"] == .integer(-32000))
        #expect(error?["data"]?["retry"] == .bool(true))
        #expect(await walk.call("status/get").0?["error"]?["code"] == .integer(-32000))
    }

    @Test("status/get has every field where there is no session at all")
    func status() async throws {
        var walk = RPCWalk()
        let result = try #require(await walk.call("status/get").0?["result"])
        for name in [
            "session_id", "agent_session_id", "agent_state", "agent_type", "repo_path", "repo_name", "version",
        ] {
            #expect(result[name]?.string != nil, "\(name)")
        }
        for name in ["connected_clients", "uptime_seconds"] { #expect(result[name]?.integer != nil, "\(name)") }
    }
}
