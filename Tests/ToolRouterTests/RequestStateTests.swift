import EventModel
import Testing

@testable import ToolRouter

struct RequestStateTests {
    private let state = RequestState(
        call: "c",
        turn: 3,
        caller: "api_key:1",
        session: "trs_1",
        server: "mcp_1",
        tool: "t",
        definition: "d",
        arguments: "a",
        expiresAt: Timestamp(microseconds: 5)
    )

    @Test func itIsReadAsItWasWritten() {
        #expect(RequestState(state.bytes) == state)
    }

    @Test func otherSealedBytesAreNone() {
        #expect(RequestState(Array(#"{"tool_call":"c","caller":"api_key:1"}"#.utf8)) == nil)
        #expect(RequestState([]) == nil)
    }

    @Test func theTurnAndTheCallMayDiffer() {
        var asked = state
        (asked.call, asked.turn, asked.expiresAt) = ("", 0, Timestamp(microseconds: 9))
        #expect(state.isSameCall(as: asked))
    }

    @Test func whatTheStateIsBoundTo() {
        let members: [WritableKeyPath<RequestState, String>] = [
            \.caller, \.session, \.server, \.tool, \.definition, \.arguments,
        ]
        for member in members {
            var asked = state
            asked[keyPath: member] = "other"
            #expect(!state.isSameCall(as: asked))
        }
    }
}

struct ExecuteRequestTests {
    private func request(_ text: String) throws -> ExecuteRequest { try ExecuteRequest(Array(text.utf8)) }

    @Test(arguments: ["tool_slug", "tool_name", "slug"])
    func theNamesOfTheTool(_ member: String) throws {
        #expect(try request("{\"\(member)\":\"git_status\"}").slug == "GIT_STATUS")
    }

    @Test func whatTheProgramAnswers() throws {
        func answer(_ text: String) throws -> ExecuteRequest.Response? {
            try request(#"{"slug":"x","request_state":"s","input_responses":{"approval":\#(text)}}"#).response
        }
        #expect(try answer(#"{"action":"accept"}"#) == .accept)
        #expect(try answer(#"{"action":"accept","content":{"ok":true}}"#) == .accept)
        #expect(try answer(#"{"action":"accept","content":{"ok":false}}"#) == .cancel)
        #expect(try answer(#"{"action":"decline"}"#) == .cancel)
        #expect(try answer(#"{"action":"cancel"}"#) == .cancel)
        #expect(throws: (any Error).self) { try answer(#"{"action":"allow"}"#) }
        #expect(throws: (any Error).self) { try answer("{}") }
    }

    @Test(arguments: [
        "[]", "{}", #"{"slug":""}"#, #"{"slug":"x","arguments":[]}"#, #"{"slug":"x","request_state":"s"}"#,
        #"{"slug":"x","input_responses":{"approval":{"action":"accept"}}}"#,
    ])
    func whatIsRefused(_ text: String) {
        #expect(throws: (any Error).self) { try request(text) }
    }
}
