import EventModel
import FanoutSamples
import JSON
import RPC
import Testing
import WSFanout

@testable import CdevDialect

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
            (#"{"name":"n"}"#, "path"), (#"{"path":"relative"}"#, "path"), (#"{"path":"/a","name":""}"#, "name"),
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

    @Test("who drives a machine may change its workspaces; only who drives it may have sessions opened there")
    func rights() async {
        let store = FakeRPCStore(workspaces: [workspace("ws-1")])
        await store.setMachines([machine(1, "laptop"), machine(2, "studio")])
        var walk = RPCWalk(store)
        let own: Set<MachineID> = [MachineID(rawValue: 2)]
        for (principal, params, isAllowed) in [
            (driver(own), #"{"id":"ws-1","name":"new"}"#, true),
            (driver(own), #"{"id":"ws-1","auto_start":true}"#, true),
            (driver([MachineID(rawValue: 1)]), #"{"id":"ws-1","name":"new"}"#, false),
            (reader(DeviceID(rawValue: 5), [.administer]), #"{"id":"ws-1","name":"new"}"#, true),
            (reader(DeviceID(rawValue: 5), [.administer]), #"{"id":"ws-1","auto_start":true}"#, false),
            (reader(DeviceID(rawValue: 5), [.administer]), #"{"id":"ws-1","auto_start":false}"#, true),
        ] {
            walk.context.principal = principal
            let answer = await walk.call("workspace/update", params).0
            let code: JSONValue? = isAllowed ? nil : .integer(-32005)
            #expect(answer?["error"]?["code"] == code, "\(params)")
        }
    }

    /// A device that may drive these machines.
    private func driver(_ machines: Set<MachineID>) -> Principal {
        let grants = Grants([.read: .all, .control: .only(machines)])
        let rights = DeviceRights(name: "phone", owner: nil, grants: grants)
        let claims = DeviceClaims(device: DeviceID(rawValue: 6), refusedFrom: start.adding(seconds: 900))
        return Principal(.device(claims, rights))
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
            ("session/start", #"{"workspace_id":"ws-1"}"#),
            ("session/send", #"{"session_id":"s","prompt":"p","mode":"new"}"#),
            ("session/input", #"{"session_id":"s","key":"up"}"#),
            ("session/send", #"{"prompt":"p","mode":"new"}"#), ("agent/run", #"{"prompt":"p"}"#), ("git/state", "{}"),
            ("git/get_status", "{}"),
            ("workspace/git/status", "{}"), ("file/get", #"{"path":"a"}"#), ("repository/search", #"{"query":"q"}"#),
        ]
    )
    func agent(method: String, params: String) async {
        var walk = RPCWalk()
        let error = await walk.call(method, params).0?["error"]
        #expect(error?["code"] == .integer(-32004))
        #expect(error?["data"]?["agent_type"] == .string("claude"))
        #expect(error?["data"]?["operation"] == .string(method))
    }

    @Test("session/start opens the session that is named, running or not, and says that it exists")
    func openNamed() async throws {
        let running = try #require(foldedSession("s1", ["PermissionRequest"], tool: "Bash"))
        let old = try #require(foldedSession("s2", ["SessionStart", "Stop"], quiet: 1000))
        var walk = RPCWalk(FakeRPCStore(sessions: [running, old]))
        for (name, id, source) in [("session_id", "s1", "live"), ("resume_session_id", "s2", "")] {
            let params = #"{"workspace_id":"ws-x","\#(name)":"\#(id)"}"#
            let result = await walk.call("session/start", params).0?["result"]
            #expect(result?["session_id"] == .string(id))
            #expect(result?["id"] == .string(id))
            #expect(result?["workspace_id"] == running.workspaceID.map { .string($0) })
            #expect(result?["status"] == .string("existing"))
            #expect(result?["source"] == .string(source))
            #expect(result?["has_pending_permission"] == .bool(id == "s1"))
        }
        let unknown = await walk.call("session/start", #"{"workspace_id":"ws-x","session_id":"s3"}"#).0
        #expect(unknown?["error"]?["code"] == .integer(-32004))
    }

    @Test("session/start opens the latest session of a workspace where none runs; beside one that runs it starts none")
    func openWorkspace() async throws {
        let old = try #require(foldedSession("s1", ["SessionStart", "Stop"], quiet: 1000))
        let older = try #require(foldedSession("s2", ["SessionStart", "Stop"], quiet: 2000))
        let home = try #require(old.workspaceID)
        var walk = RPCWalk(FakeRPCStore(sessions: [old, older]))
        let opened = await walk.call("session/start", #"{"workspace_id":"\#(home)"}"#).0?["result"]
        #expect(opened?["session_id"] == .string("s1"))
        let codex = await walk.call("session/start", #"{"workspace_id":"\#(home)","agent_type":"codex"}"#).0
        #expect(codex?["error"]?["code"] == .integer(-32004))
        let running = try #require(foldedSession("s3", ["SessionStart"]))
        walk = RPCWalk(FakeRPCStore(sessions: [running, old]))
        let refused = await walk.call("session/start", #"{"workspace_id":"\#(home)"}"#).0
        #expect(refused?["error"]?["code"] == .integer(-32004))
    }

    @Test("a missing parameter of such a method goes before", arguments: ["session/start", "session/stop", "file/get"])
    func agentParameters(method: String) async {
        var walk = RPCWalk()
        #expect(await walk.call(method).0?["error"]?["code"] == .integer(-32602))
    }
}
