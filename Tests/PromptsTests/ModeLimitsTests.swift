import HTTPModel
import JSON
import Testing

@testable import Prompts

struct ModeLimitsTests {
    @Test(
        "a suggested mode needs a file that lets devices answer for all that it permits",
        arguments: [("", false), ("edits=no", false), ("edits=yes", true), ("edits=maybe", false)]
    )
    func suggestedMode(policy: String, isAllowed: Bool) throws {
        let mode = #"{"type":"setMode","mode":"acceptEdits","destination":"session"}"#
        let hook = #"{"tool_name":"Bash","tool_input":{"command":"ls"},"permission_suggestions":[\#(mode)]}"#
        let rules = AnswerRules(
            kind: .permission,
            hook: try JSONValue.parse(Array(hook.utf8)),
            policy: HoldPolicy(policy)
        )
        for choice in [#""setMode""#, mode] {
            let text = #"{"decision":"allow","permissions":[\#(choice)]}"#
            let body = try AnswerBody(try JSONValue.parse(Array(text.utf8)))
            if isAllowed {
                _ = try rules.decision(for: body)
            } else {
                #expect(throws: APIError.self) { try rules.decision(for: body) }
            }
        }
    }
}
