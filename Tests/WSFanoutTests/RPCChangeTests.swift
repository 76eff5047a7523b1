import EventModel
import JSON
import Testing

@testable import WSFanout

@Suite("RPC methods that change workspaces and sessions")
struct RPCChangeTests {
    @Test("workspace/add takes the only machine that has sent something, and names the workspace by its path")
    func add() async throws {
        let store = FakeRPCStore()
        await store.setMachines([machine(1, "operator", seen: false), machine(2, "studio")])
        var walk = RPCWalk(store)
        let added = await walk.call("workspace/add", #"{"path":"/home/dev/app/"}"#).0?["result"]
        #expect(added?["id"] == .string(WorkspaceID.make(machine: MachineID(rawValue: 2), path: "/home/dev/app")))
        #expect(added?["name"] == .string("app"))
        #expect(added?["sessions"] == .array([]))
    }

    @Test("several machines have to be told apart by name")
    func several() async throws {
        let store = FakeRPCStore()
        await store.setMachines([machine(1, "laptop"), machine(2, "studio")])
        var walk = RPCWalk(store)
        let unclear = await walk.call("workspace/add", #"{"path":"/a","name":"n"}"#).0
        #expect(unclear?["error"]?["data"]?["param"] == .string("machine_name"))
        let named = await walk.call("workspace/add", #"{"path":"/a","name":"n","machine_name":"laptop"}"#).0
        #expect(named?["result"]?["machine_name"] == .string("laptop"))
    }

    @Test(
        "what cannot be done is refused before the store is asked",
        arguments: [
            (#"{"name":"n"}"#, "path"), (#"{"path":"relative"}"#, "path"),
            (#"{"path":"/a","auto_start":true}"#, "auto_start"), (#"{"path":"/a","name":""}"#, "name"),
        ]
    )
    func refused(params: String, name: String) async {
        var walk = RPCWalk()
        let error = await walk.call("workspace/add", params).0?["error"]
        #expect(error?["code"] == .integer(-32602))
        #expect(error?["data"]?["param"] == .string(name))
    }

    @Test("workspace/update renames, workspace/remove removes, both in either spelling of the id")
    func change() async {
        var walk = RPCWalk(FakeRPCStore(workspaces: [workspace("ws-1")]))
        let renamed = await walk.call("workspace/update", #"{"workspace_id":"ws-1","name":"new"}"#).0
        #expect(renamed?["result"]?["name"] == .string("new"))
        let removed = await walk.call("workspace/remove", #"{"id":"ws-1"}"#).0
        #expect(removed?["result"]?["success"] == .bool(true))
        #expect(await walk.call("workspace/remove", #"{"id":"ws-1"}"#).0?["error"]?["code"] == .integer(-32602))
    }

    @Test("a session is deleted only in its own workspace")
    func delete() async throws {
        let session = try #require(foldedSession("s1", ["Stop"]))
        let store = FakeRPCStore(sessions: [session])
        var walk = RPCWalk(store)
        let wrong = await walk.call("workspace/session/delete", #"{"workspace_id":"ws-x","session_id":"s1"}"#).0
        #expect(wrong?["error"]?["code"] == .integer(-32010))
        #expect(await store.deleted.isEmpty)
        let done = await walk.call("session/delete", #"{"session_id":"s1"}"#).0
        #expect(done?["result"]?["status"] == .string("deleted"))
        #expect(await store.deleted == ["s1"])
    }

    @Test(
        "a method that drives the machine is known, and says that no agent is there",
        arguments: [
            ("session/start", #"{"workspace_id":"ws-1"}"#), ("session/send", #"{"session_id":"s","prompt":"p"}"#),
            ("session/input", #"{"session_id":"s"}"#), ("session/respond", #"{"session_id":"s"}"#),
            ("session/stop", #"{"session_id":"s"}"#), ("agent/run", "{}"), ("git/state", "{}"),
            ("git/get_status", "{}"),
            ("workspace/git/status", "{}"), ("file/get", #"{"path":"a"}"#), ("repository/search", #"{"query":"q"}"#),
            ("permission/respond", #"{"tool_use_id":"t","decision":"allow"}"#),
        ]
    )
    func agent(method: String, params: String) async {
        var walk = RPCWalk()
        let error = await walk.call(method, params).0?["error"]
        #expect(error?["code"] == .integer(-32004))
        #expect(error?["data"]?["agent_type"] == .string("claude"))
        #expect(error?["data"]?["operation"] == .string(method))
    }

    @Test("a missing parameter of such a method goes before", arguments: ["session/start", "session/stop", "file/get"])
    func agentParameters(method: String) async {
        var walk = RPCWalk()
        #expect(await walk.call(method).0?["error"]?["code"] == .integer(-32602))
    }
}
