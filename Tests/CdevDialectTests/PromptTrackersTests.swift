import EventModel
import FanoutSamples
import JSON
import RPC
import Sessions
import Testing

@testable import CdevDialect
@testable import WSFanout

/// A table that takes events one batch after the other.
private struct Shown {
    var trackers = PromptTrackers()

    mutating func encode(_ events: CommittedEvent...) -> [EncodedEvent] {
        let (encoded, update) = trackers.encode(events, epoch: epoch)
        trackers.apply(update)
        return encoded
    }
}

private func told(_ event: EncodedEvent) -> [(name: String, payload: JSONValue)] {
    var bytes: [UInt8] = []
    event.append(for: .dialect, to: &bytes)
    return payloads(ofFrames: bytes).compactMap(parse).map { message in
        (message["method"]?.string ?? "", message["params"]?["payload"] ?? .null)
    }
}

@Suite("Prompts of the sessions that are shown")
struct PromptTrackersTests {
    private let input = #""tool_input":{"command":"rm x"}"#

    @Test(
        "a permission has one id from its request to its end, Claude's where the call was seen",
        arguments: [true, false]
    )
    func oneID(isCallSeen: Bool) {
        var shown = Shown()
        let call = #"{"tool_use_id":"toolu_1",\#(input)}"#
        if isCallSeen { _ = shown.encode(hookEvent(1, "PreToolUse", payload: call, tool: "Bash")) }
        let opened = told(shown.encode(hookEvent(2, "PermissionRequest", payload: "{\(input)}", tool: "Bash"))[0])
        let closed = told(shown.encode(hookEvent(3, "PostToolUse", payload: call, tool: "Bash"))[0])
        #expect(opened.map(\.name).prefix(2) == ["event/claude_permission", "event/pty_permission"])
        #expect(closed.first?.name == "event/pty_permission_resolved")
        let ids = Set((opened.prefix(2) + closed.prefix(1)).map { $0.payload["tool_use_id"]?.string })
        #expect(ids == [isCallSeen ? "toolu_1" : "prm_00000000000000070000000000000002"])
    }

    @Test("cdev's clients are told of the end before the event itself, all others nothing")
    func frames() throws {
        var shown = Shown()
        let encoded = shown.encode(
            hookEvent(1, "PermissionRequest", payload: "{\(input)}", tool: "Bash"),
            hookEvent(2, "PostToolUse", payload: "{\(input)}", tool: "Bash")
        )
        #expect(encoded.map(\.endedPermissions) == [0, 1])
        let end = told(encoded[1])
        #expect(
            end.map(\.name) == [
                "event/pty_permission_resolved", "event/claude_status", "event/claude_message", "event/tool",
            ]
        )
        #expect(end[1].payload == .object([("state", .string("running"))]))
        #expect(end[0].payload["session_id"] == .string("s1"))
        #expect(end[0].payload["resolved_by"] == .string("terminal"))
        #expect(end[0].payload["decision"] == .string("allow"))
        var bytes: [UInt8] = []
        encoded[1].append(for: .jsonRPC, to: &bytes)
        #expect(payloads(ofFrames: bytes).count == 1)
    }

    @Test("the session runs on with the answer to its last prompt, not with a refusal at the terminal")
    func goingOn() {
        var shown = Shown()
        func end(_ seq: Int64, of opening: Int64, _ step: String) -> [String] {
            let id = "prm_000000000000000700000000000000\(opening < 16 ? "0" : "")\(String(opening, radix: 16))"
            let answer = #"{"id":"a","decision":"allow","by":{"kind":"device"},"at":"2026-01-05T10:00:10Z"}"#
            let update = hookEvent(seq, "Stop").replacing {
                ($0.type, $0.hookEventName) = (.promptUpdated, nil)
                $0.payload = Array(#"{"prompt_id":"\#(id)","step":"\#(step)","answer":\#(answer)}"#.utf8)
            }
            return told(shown.encode(update)[0]).map(\.name)
        }
        _ = shown.encode(hookEvent(1, "PermissionRequest", payload: "{\(input)}", tool: "Bash"))
        _ = shown.encode(hookEvent(2, "PermissionRequest", payload: #"{"tool_input":{"command":"ls"}}"#, tool: "Bash"))
        #expect(end(3, of: 1, "answered") == ["event/pty_permission_resolved", "event/prompt_updated"])
        #expect(
            end(4, of: 2, "answered")
                == ["event/pty_permission_resolved", "event/claude_status", "event/prompt_updated"]
        )
        _ = shown.encode(hookEvent(5, "PermissionRequest", payload: "{\(input)}", tool: "Bash"))
        #expect(end(6, of: 5, "withdrawn") == ["event/pty_permission_resolved", "event/prompt_updated"])
    }

    @Test("an approval with another input ends the dialog, a refusal by a rule denies it")
    func ends() {
        var shown = Shown()
        _ = shown.encode(hookEvent(1, "PermissionRequest", payload: "{\(input)}", tool: "Bash"))
        let edited = #"{"tool_use_id":"t","tool_input":{"command":"rm y"}}"#
        #expect(
            told(shown.encode(hookEvent(2, "PostToolUse", payload: edited, tool: "Bash"))[0])[0].payload["decision"]
                == .string("allow")
        )
        _ = shown.encode(hookEvent(3, "PermissionRequest", payload: "{\(input)}", tool: "Bash"))
        let denied = told(shown.encode(hookEvent(4, "PermissionDenied", payload: "{\(input)}", tool: "Bash"))[0])
        #expect(denied[0].payload["decision"] == .string("deny"))
        _ = shown.encode(hookEvent(5, "PermissionRequest", payload: #"{"tool_input":{"command":"ls"}}"#, tool: "Bash"))
        let overtaken = told(shown.encode(hookEvent(6, "Stop"))[0])
        #expect(overtaken[0].name == "event/pty_permission_resolved" && overtaken[0].payload["decision"] == nil)
    }

    @Test("a batch that was not committed changes nothing")
    func uncommitted() {
        var shown = Shown()
        let request = hookEvent(1, "PermissionRequest", payload: "{\(input)}", tool: "Bash")
        _ = shown.trackers.encode([request], epoch: epoch)
        #expect(shown.encode(hookEvent(1, "Stop"))[0].endedPermissions == 0)
        _ = shown.encode(request)
        #expect(shown.encode(hookEvent(2, "Stop"))[0].endedPermissions == 0, "the turn was over before")
    }

    @Test("beyond the bound sessions without an open prompt are forgotten first, then all")
    func bounds() {
        var shown = Shown()
        _ = shown.encode(hookEvent(1, "PermissionRequest", tool: "Bash", session: "kept"))
        for seq in 0..<Int64(PromptTrackers.maximum) {
            _ = shown.encode(hookEvent(seq + 2, "PreToolUse", tool: "Bash", session: "s\(seq)"))
        }
        #expect(shown.trackers.count == 1)
        for seq in 0..<Int64(PromptTrackers.maximum) {
            _ = shown.encode(hookEvent(seq + 9000, "PermissionRequest", tool: "Bash", session: "s\(seq)"))
        }
        #expect(shown.trackers.count == 0)
    }

    @Test("questions to a person have an id, a tool and an input")
    func waiting() throws {
        var shown = Shown()
        let schema = #"{"mcp_server_name":"jira","message":"Which?","requested_schema":{"type":"object"}}"#
        let asked = told(shown.encode(hookEvent(1, "Elicitation", payload: schema))[0])
        #expect(asked.map(\.name) == ["event/claude_waiting", "event/claude_status", "event/elicitation"])
        let payload = asked[0].payload
        #expect(payload["tool_use_id"] == .string("prm_00000000000000070000000000000001"))
        #expect(payload["tool_name"] == .string("jira"))
        #expect(payload["input"] == .string(#"{"type":"object"}"#))
        #expect(payload["question"] == .string("Which?"))
        let dialog = hookEvent(2, "Notification", payload: #"{"notification_type":"elicitation_dialog"}"#)
        #expect(told(shown.encode(dialog)[0]).map(\.name) == ["event/notification"])
    }
}
