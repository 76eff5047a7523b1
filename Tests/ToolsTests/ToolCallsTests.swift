import API
import EventModel
import HTTPModel
import JSON
import Testing

@testable import Tools

@Suite struct ToolTargetTests {
    private func tool(
        _ server: String,
        _ name: String,
        scope: String = "user",
        id: String? = nil,
        isChanged: Bool = false
    ) -> StoredTool {
        let time = Timestamp(microseconds: 0)
        return StoredTool(
            serverID: id ?? "mcp_\(server)_\(scope)",
            server: server,
            machine: MachineID(rawValue: 1),
            machineName: "desk",
            scope: scope,
            path: nil,
            serverState: "connected",
            name: name,
            pinned: ToolDefinition(stored: Array(#"{"name":"x"}"#.utf8), digest: "d-\(scope)"),
            offered: isChanged ? ToolDefinition(stored: Array(#"{"name":"x"}"#.utf8), digest: "e") : nil,
            createdAt: time,
            changedAt: nil,
            acceptedBy: nil,
            acceptedAt: nil
        )
    }

    func server(_ name: String, isComplete: Bool) -> StoredServer {
        let time = Timestamp(microseconds: 0)
        return StoredServer(
            id: "mcp_\(name)",
            machine: MachineID(rawValue: 1),
            machineName: "desk",
            scope: "user",
            path: nil,
            name: name,
            transport: "http",
            state: "unlisted",
            reason: nil,
            isComplete: isComplete,
            createdAt: time,
            refreshedAt: time,
            toolCount: 0,
            changedCount: 0
        )
    }

    @Test func theNearestServerCounts() throws {
        let scopes = ["user", "project", "local", "plugin"]
        let target = try ToolTarget(of: scopes.map { tool("git", "status", scope: $0) })
        #expect(target?.scope == "local" && target?.digest == "d-local")
        #expect(try ToolTarget(of: []) == nil)
    }

    @Test func aNameThatMeansTwoThingsIsRefused() {
        #expect(throws: ToolCallRefusal.ambiguous) {
            try ToolTarget(of: [tool("a", "b.c"), tool("a.b", "c", scope: "local")])
        }
        #expect(throws: ToolCallRefusal.ambiguous) {
            try ToolTarget(of: [tool("a", "b", id: "1"), tool("a", "b", id: "2")])
        }
        #expect(throws: ToolCallRefusal.changed) { try ToolTarget(of: [tool("a", "b", isChanged: true)]) }
    }

    @Test func aToolOfWhichNoListTells() throws {
        let servers = [server("far", isComplete: false), server("near", isComplete: true)]
        #expect(try ToolTarget(named: "far.look", of: servers)?.tool == "look")
        #expect(try ToolTarget(named: "mcp_far__look", of: servers)?.digest == "")
        for name in ["near.look", "far", "far.", "far.no good", "other.look"] {
            #expect(try ToolTarget(named: name, of: servers) == nil)
        }
        #expect(throws: ToolCallRefusal.ambiguous) {
            try ToolTarget(named: "a.b.c", of: [server("a", isComplete: false), server("a.b", isComplete: false)])
        }
    }
}

extension ToolTargetTests {
    @Test func aToolThatIsNotListedAnyMoreKeepsItsPin() throws {
        let servers = [server("far", isComplete: false)]
        func target(_ pin: ToolPins.Pinned?) throws -> ToolTarget? {
            var target = try ToolTarget(named: "far.look", of: servers)
            try target?.keep(pin)
            return target
        }
        let pin = ToolPins.Pinned(digest: "d", offered: nil, isPresent: false)
        #expect(try target(pin)?.digest == "d")
        #expect(try target(nil)?.digest == "")
        #expect(throws: ToolCallRefusal.changed) {
            try target(ToolPins.Pinned(digest: "d", offered: "e", isPresent: false))
        }
    }
}

@Suite struct ToolCallOutcomeTests {
    private func error(_ code: String) -> APIError { APIError(.conflict, status: 409, code: code, message: "m") }

    @Test func whatWasNotApprovedDidNotRun() {
        let states: [(String, ToolCall.State)] = [
            ("denied_by_person", .denied), ("approval_expired", .expired), ("agent_timeout", .expired),
            ("agent_unavailable", .expired), ("database_unavailable", .expired), ("tool_changed", .refused),
            ("agent_failed", .refused),
        ]
        for (code, state) in states { #expect(ToolCallOutcome(unapproved: error(code)).state == state) }
    }

    @Test func whatWasTakenUpMayHaveRun() {
        let states: [(String, ToolCall.State)] = [
            ("denied_by_machine", .refused), ("approval_expired", .expired), ("agent_timeout", .unknown),
            ("tool_changed", .refused), ("mcp_server_failed", .refused),
            ("agent_unavailable", .unknown), ("outcome_unknown", .unknown), ("agent_failed", .unknown),
            ("session_not_running", .unknown),
        ]
        for (code, state) in states {
            let outcome = ToolCallOutcome(unfinished: error(code))
            #expect(outcome.state == state && (outcome.error?.code == "outcome_unknown") == (state == .unknown))
        }
    }

    @Test func whatACallShowsOfTheServer() {
        let failed = ToolCallOutcome(unapproved: error("mcp_server_failed"))
        #expect(failed.state == .refused)
        #expect(failed.stateOfServer?.state == "failed" && failed.stateOfServer?.reason == "m")
        let answered = ToolCallOutcome(result: .object([("content", .array([]))]), bytes: 14)
        #expect(answered.stateOfServer?.state == "connected" && answered.stateOfServer?.reason == nil)
        #expect(ToolCallOutcome(result: .object([("isError", .bool(true))]), bytes: 16).stateOfServer == nil)
        #expect(ToolCallOutcome(unapproved: error("denied_by_person")).stateOfServer == nil)
        #expect(ToolCallOutcome(unfinished: error("agent_timeout")).stateOfServer == nil)
    }

    @Test func aToolThatFailsHasAResult() {
        let outcome = ToolCallOutcome(result: .object([("isError", .bool(true))]), bytes: 16)
        #expect(outcome.state == .completed && outcome.isError == true && outcome.error == nil)
    }
}

@Suite struct ToolCallRequestTests {
    private func request(_ text: String) throws(APIError) -> ToolCallRequest { try ToolCallRequest(Array(text.utf8)) }

    @Test func bodies() throws {
        let usual = try request(#"{"session_id":"s"}"#)
        #expect(usual.arguments == .object([]) && usual.wait == 300)
        let named = try request(#"{"session_id":"s","arguments":{"a":[{"b":1}]},"wait":0,"parameters":null}"#)
        #expect(named.arguments["a"] != nil && named.wait == 0)
        for text in [
            "[]", #"{"session_id":7}"#, #"{"session_id":"s","project_id":"p"}"#, #"{"machine_id":""}"#,
            #"{"session_id":"s","parameters":7}"#, #"{"session_id":"s","wait":-1}"#,
            #"{"session_id":"s","parameters":{},"arguments":{}}"#, #"{"session_id":"s","wait":1.5}"#,
        ] {
            #expect(throws: APIError.self) { try request(text) }
        }
    }
}

@Suite struct ToolArgumentsTests {
    private func exact(_ text: String) throws -> String {
        let request = try ToolCallRequest(Array(#"{"session_id":"s","parameters":\#(text)}"#.utf8))
        return String(decoding: request.arguments.encoded, as: UTF8.self)
    }

    @Test func numbersAreAsTheToolGetsThem() throws {
        #expect(
            try exact(#"{"a":1.0,"b":[-0.0,1e3],"c":{"d":0.5},"e":"1.0"}"#)
                == #"{"a":1,"b":[0,1000],"c":{"d":0.5},"e":"1.0"}"#
        )
        #expect(try exact(#"{"a":9007199254740991}"#) == #"{"a":9007199254740991}"#)
    }

    @Test(arguments: ["9007199254740992", "-9007199254740993", "99999999999999999999", "1e300"])
    func numbersThatWouldBeOthersAreRefused(number: String) {
        let error = #expect(throws: APIError.self) { try exact(#"{"a":[\#(number)]}"#) }
        #expect(error?.param == "parameters" && error?.status == 400)
    }
}

@Suite struct OpenToolCallsTests {
    private let outcome = ToolCallOutcome(result: .object([]), bytes: 2)

    private func call(_ id: String, on machine: Int64 = 1) -> ToolCallPorts.Call {
        ToolCallPorts.Call(
            id: id,
            server: "git",
            scope: "user",
            tool: "status",
            digest: nil,
            arguments: .object([]),
            sessionID: nil,
            machine: MachineID(rawValue: machine),
            machineName: "desk",
            path: "/home/dev",
            actor: Actor(kind: "operator"),
            caller: "operator",
            serverID: "mcp_1"
        )
    }

    @Test func bounds() {
        let calls = OpenToolCalls()
        for number in 0..<OpenToolCalls.mostOfOne {
            #expect(calls.add(call("\(number)", on: Int64(number)), of: "a"))
        }
        #expect(!calls.add(call("x", on: 99), of: "a"))
        calls.remove("0")
        #expect(calls.add(call("x", on: 99), of: "a"))
        let others = OpenToolCalls()
        for number in 0..<OpenToolCalls.mostInPlace { #expect(others.add(call("\(number)"), of: "\(number)")) }
        #expect(!others.add(call("x"), of: "x"))
    }

    @Test func nobodyTakesAllPlacesOfAMachine() {
        let calls = OpenToolCalls()
        func taken(by caller: String) -> Int { (0..<9).count { calls.add(call("\(caller)\($0)"), of: caller) } }
        #expect(["a", "b", "c", "d", "e"].map(taken) == [4, 2, 1, 1, 0])
        calls.remove("a0")
        #expect(taken(by: "e") == 1)
        for id in calls.ids { calls.remove(id) }
        #expect(taken(by: "b") == 4)
    }

    @Test func anEndIsToldToThoseThatWait() async {
        let calls = OpenToolCalls()
        _ = calls.add(call("1"), of: "a")
        let outcome = outcome
        let told = await calls.outcome(of: "1", seconds: 60) { #expect(calls.finish("1", outcome) == true) }
        #expect(told?.state == .completed && calls.finish("1", outcome) == nil)
        #expect(calls.ids.isEmpty && calls.counts == [.completed: 1])
        let late = await calls.outcome(of: "1", seconds: 60) {}
        #expect(late == nil)
    }

    @Test func whoDoesNotWaitIsNotTold() async {
        let calls = OpenToolCalls()
        _ = calls.add(call("1"), of: "a")
        let told = await calls.outcome(of: "1", seconds: 0) {}
        #expect(told == nil)
        #expect(calls.finish("1", outcome) == false)
    }
}
