import JSON
import Testing

@testable import ClaudeRunner

@Suite struct ToolRequestTests {
    private let name = "mcp__a__b"

    private func asked(_ name: String = "mcp__a__b", use: String = "toolu_mcp_call_1") -> JSONValue {
        json(
            #"{"type":"control_request","request_id":"p","request":{"subtype":"can_use_tool","tool_name":"\#(name)","#
                + #""input":{},"tool_use_id":"\#(use)"}}"#
        )
    }

    private func denied(_ name: String = "mcp__a__b", use: String = "toolu_mcp_call_1") -> JSONValue {
        json(
            #"{"type":"system","subtype":"permission_denied","tool_name":"\#(name)","tool_use_id":"\#(use)","#
                + #""message":"a rule"}"#
        )
    }

    private func failed(_ id: String, _ text: String = "The tool did not run: no") -> JSONValue {
        json(
            #"{"type":"control_response","response":{"subtype":"error","request_id":"\#(id)","error":"\#(text)"}}"#
        )
    }

    private func call(_ conversation: inout ClaudeConversation) -> String {
        conversation.request(.callMCPTool(name: name, arguments: .object([]))).id
    }

    @Test func noTimeIsGiven() {
        var conversation = readyConversation()
        let request = conversation.request(.callMCPTool(name: name, arguments: .object([]))).actions.lines[0]["request"]
        #expect(request?["timeout_ms"] == nil && request?["check_permissions"] == .bool(true))
    }

    @Test func onlyAFrameOfTheClientSaysThatAToolWasNotCalled() throws {
        let frames: [(JSONValue, isDenied: Bool)] = [
            (denied(), true), (denied("mcp__a__c"), false), (denied(use: "toolu_1"), false), (json("{}"), false),
        ]
        for (frame, isDenied) in frames {
            var conversation = readyConversation()
            let id = call(&conversation)
            _ = conversation.receive(frame)
            let end = conversation.receive(failed(id))
            let reply: ControlReply = isDenied ? .denied("a rule") : .failure("The tool did not run: no")
            #expect(end.contains(.resolve(request: id, reply)))
        }
    }

    @Test func aDeniedRequestForPermissionSaysSo() throws {
        var conversation = readyConversation()
        let id = call(&conversation)
        _ = conversation.receive(asked())
        _ = try conversation.answer(prompt: "p", .deny(message: "another call", interrupt: false))
        #expect(conversation.receive(failed(id)).contains(.resolve(request: id, .denied("another call"))))
    }

    @Test func whatWasAllowedMayHaveRun() throws {
        var conversation = readyConversation()
        let id = call(&conversation)
        _ = conversation.receive(asked())
        _ = try conversation.answer(prompt: "p", .allow(updatedInput: nil, permissions: []))
        _ = conversation.receive(denied())
        let reply = ControlReply.failure("The tool did not run: no")
        #expect(conversation.receive(failed(id)).contains(.resolve(request: id, reply)))
    }

    @Test func ofTwoCallsNobodyKnowsWhichIsMeant() {
        var conversation = readyConversation()
        let (one, two) = (call(&conversation), call(&conversation))
        _ = conversation.receive(denied())
        for id in [one, two] {
            let end = conversation.receive(failed(id))
            #expect(end.contains(.resolve(request: id, .failure("The tool did not run: no"))))
        }
    }

    @Test func aCallThatIsTakenBackHasNoReply() {
        var conversation = readyConversation()
        let id = call(&conversation)
        let line = conversation.cancel(request: id).lines.first
        #expect(line == .object([("type", .string("control_cancel_request")), ("request_id", .string(id))]))
        #expect(conversation.receive(failed(id, "cancelled")).contains(.resolve(request: id, .noReply)))
        #expect(conversation.cancel(request: id).isEmpty)
    }
}
