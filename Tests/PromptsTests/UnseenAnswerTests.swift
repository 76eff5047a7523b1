import HTTPModel
import JSON
import Sessions
import Testing

@testable import Prompts

@Suite("Answers to what a device has seen only masked")
struct UnseenAnswerTests {
    private static let bash = #"{"tool_name":"Bash","tool_input":{"command":"npm test"}}"#
    private static let plan = #"{"tool_name":"ExitPlanMode","tool_input":{"plan":"1. Do it."}}"#
    private static let ask = #"{"tool_name":"AskUserQuestion","tool_input":{"questions":[{"question":"Which?"}]}}"#
    private static let form = #"{"requested_schema":{"type":"object","properties":{}}}"#

    @Test(
        "it can be denied, and not allowed",
        arguments: [
            (Prompt.Kind.permission, bash, #"{"decision":"allow"}"#, false),
            (.plan, plan, #"{"decision":"allow"}"#, false),
            (.permission, bash, #"{"decision":"deny"}"#, true), (.plan, plan, #"{"decision":"deny"}"#, true),
            (.question, ask, #"{"answers":{"Which?":"A"}}"#, true),
            (.elicitation, form, #"{"action":"accept","content":{}}"#, true),
        ]
    )
    func unseen(kind: Prompt.Kind, hook: String, body: String, isTaken: Bool) throws {
        let rules = AnswerRules(
            kind: kind,
            hook: try JSONValue.parse(Array(hook.utf8)),
            policy: HoldPolicy(""),
            hasUnseen: true
        )
        do throws(APIError) {
            _ = try rules.decision(for: try AnswerBody((try? JSONValue.parse(Array(body.utf8))) ?? .null))
            #expect(isTaken)
        } catch {
            #expect(!isTaken && error.status == 422 && error.code == "not_shown")
        }
    }
}
