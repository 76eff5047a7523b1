import EventModel
import JSON
import Testing

@testable import WSFanout

@Suite("Permission dialogs that were shown")
struct ShownPermissionsTests {
    private var shown = ShownPermissions()

    private func event(_ seq: Int64, _ hook: String, tool: String? = "Bash", _ facts: SessionFacts) -> MonitorEvent {
        var event = hookEvent(seq, hook, tool: tool).event
        event.facts = facts
        return event
    }

    private func id(_ seq: Int64) -> String { hookEvent(seq, "Stop").event.id.description }

    @Test("the result of the very call ends one as allowed, that of another call of the tool does not")
    mutating func call() {
        #expect(shown.note(event(1, "PermissionRequest", SessionFacts(toolInputHash: 7))).isEmpty)
        #expect(shown.note(event(2, "PostToolUse", SessionFacts(toolInputHash: 8))).isEmpty)
        #expect(shown.note(event(3, "PostToolUse", SessionFacts(toolInputHash: 7, agentID: "sub"))).isEmpty)
        let ended = [EndedPermission(id: id(1), decision: .allow)]
        #expect(shown.note(event(4, "PostToolUseFailure", SessionFacts(toolUseID: "t", toolInputHash: 7))) == ended)
        #expect(shown.note(event(5, "PostToolUse", SessionFacts(toolInputHash: 7))).isEmpty)
    }

    @Test("a request that has the call's id is told by it, and by it alone")
    mutating func callID() {
        _ = shown.note(event(1, "PermissionRequest", SessionFacts(toolUseID: "t1", toolInputHash: 7)))
        #expect(shown.note(event(2, "PostToolUse", SessionFacts(toolUseID: "t2", toolInputHash: 7))).isEmpty)
        let ended = [EndedPermission(id: "t1", decision: .deny)]
        #expect(shown.note(event(3, "PermissionDenied", SessionFacts(toolUseID: "t1"))) == ended)
    }

    @Test("a question's result has another input")
    mutating func question() {
        _ = shown.note(event(1, "PermissionRequest", tool: "AskUserQuestion", SessionFacts(toolInputHash: 7)))
        let result = event(2, "PostToolUse", tool: "AskUserQuestion", SessionFacts(toolInputHash: 8))
        #expect(shown.note(result) == [EndedPermission(id: id(1), decision: .allow)])
    }

    @Test(
        "what goes on without them ends those of its agent, and nobody knows the answer",
        arguments: [("Stop", nil), ("StopFailure", nil), ("UserPromptSubmit", nil), ("SubagentStop", "sub")]
    )
    mutating func passedOver(hook: String, agent: String?) {
        _ = shown.note(event(1, "PermissionRequest", SessionFacts()))
        _ = shown.note(event(2, "PermissionRequest", SessionFacts(agentID: "sub")))
        let ended = EndedPermission(id: id(agent == nil ? 1 : 2), decision: nil)
        #expect(shown.note(event(3, hook, SessionFacts(agentID: agent))) == [ended])
        let rest = EndedPermission(id: id(agent == nil ? 2 : 1), decision: nil)
        #expect(shown.note(event(4, "SessionEnd", SessionFacts())) == [rest])
    }

    @Test("a prompt that no person typed, and another session, end nothing")
    mutating func untouched() {
        _ = shown.note(event(1, "PermissionRequest", SessionFacts()))
        #expect(shown.note(event(2, "UserPromptSubmit", SessionFacts(promptIsInjected: true))).isEmpty)
        #expect(shown.note(hookEvent(3, "Stop", session: "s2").event).isEmpty)
        #expect(shown.note(event(4, "PreToolUse", SessionFacts())).isEmpty)
        #expect(shown.note(event(5, "Stop", SessionFacts())).count == 1)
    }

    @Test("a session keeps its latest, and beyond the bound for all nothing is kept")
    mutating func bounds() {
        for seq in 1...20 { _ = shown.note(event(Int64(seq), "PermissionRequest", SessionFacts())) }
        let ended = shown.note(event(21, "Stop", SessionFacts())).map(\.id)
        #expect(ended == (5...20).map { id($0) })
        for seq in 1...ShownPermissions.maximum + 1 {
            _ = shown.note(hookEvent(Int64(seq), "PermissionRequest", session: "s\(seq)").event)
        }
        #expect(shown.note(hookEvent(1, "Stop", session: "s1").event).isEmpty)
        let last = "s\(ShownPermissions.maximum + 1)"
        #expect(shown.note(hookEvent(1, "Stop", session: last).event).count == 1)
    }

    @Test("cdev's clients are told before the event itself, all others nothing")
    mutating func frames() throws {
        var request = hookEvent(1, "PermissionRequest", tool: "Bash")
        request.event.facts = SessionFacts(toolInputHash: 7)
        var done = hookEvent(2, "PostToolUse", payload: #"{"agent_id":"sub"}"#, tool: "Bash")
        done.event.facts = SessionFacts(toolInputHash: 7)
        _ = shown.encode(request, epoch: epoch)
        let encoded = shown.encode(done, epoch: epoch)
        var bytes: [UInt8] = []
        encoded.append(for: .cdev, to: &bytes)
        let told = payloads(ofFrames: bytes).compactMap { parse($0) }
        #expect(told.map { $0["method"]?.string } == ["event/pty_permission_resolved", "event/tool"])
        let params = try #require(told.first?["params"])
        #expect(params["seq"] == .integer(2))
        #expect(params["more"] == .bool(true))
        let payload = try #require(params["payload"])
        #expect(payload["tool_use_id"]?.string == id(1))
        #expect(payload["session_id"] == .string("s1"))
        #expect(payload["resolved_by"] == .string("terminal"))
        #expect(payload["decision"] == .string("allow"))
        bytes = []
        encoded.append(for: .jsonRPC, to: &bytes)
        #expect(payloads(ofFrames: bytes).count == 1)
    }
}
