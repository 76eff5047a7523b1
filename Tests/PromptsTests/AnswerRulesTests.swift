import EventModel
import HTTPModel
import JSON
import Sessions
import Testing

@testable import Prompts

/// An answer to a hook, and what the hook prints or why it is refused.
struct AnswerCase: Sendable, CustomTestStringConvertible {
    var kind: Prompt.Kind
    var hook: String
    var policy = ""
    var isWhole = true
    var body: String
    /// The hook's output, or the parameter that is refused.
    var output: String?
    var refused: String?

    var testDescription: String { "\(kind) \(body) \(policy)" }
}

private let suggestions = """
    "permission_suggestions":[{"type":"addDirectories","directories":["/p"],"destination":"session"},\
    {"type":"setMode","mode":"acceptEdits","destination":"session"},\
    {"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test:*"}],"behavior":"allow",\
    "destination":"localSettings"}]
    """
private let bash = #"{"tool_name":"Bash","tool_input":{"command":"npm test","n":12345678901},\#(suggestions)}"#
private let edit = #"{"tool_name":"Edit","tool_input":{"file_path":"/p/a.swift","old_string":"a","new_string":"b"}}"#
private let fetch = #"{"tool_name":"WebFetch","tool_input":{"url":"https://example.org/"}}"#
private let questions = """
    "questions":[{"question":"Which?","header":"H","options":[{"label":"A"},{"label":"B"}],"multiSelect":false},\
    {"question":"Also?","header":"G","options":[{"label":"C"},{"label":"D"}],"multiSelect":true}]
    """
private let ask = #"{"tool_name":"AskUserQuestion","tool_input":{\#(questions)}}"#
private let plan = #"{"tool_name":"ExitPlanMode","tool_input":{"plan":"1. Do it.","planFilePath":"/plans/x.md"}}"#
private let form = """
    {"requested_schema":{"type":"object","properties":{"branch":{"type":"string","minLength":2},\
    "sure":{"type":"boolean"},"level":{"type":"string","enum":["low","high"]},"count":{"type":"integer","maximum":3}},\
    "required":["branch"]}}
    """

private func decision(_ text: String) -> String {
    #"{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":\#(text)}}"#
}

private func rule(_ tool: String, _ content: String, _ destination: String) -> String {
    #"{"type":"addRules","rules":[{"toolName":"\#(tool)","ruleContent":"\#(content)"}],"behavior":"allow","#
        + #""destination":"\#(destination)"}"#
}

private func accepted(_ content: String) -> String {
    #"{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"accept","content":\#(content)}}"#
}

private let cases: [AnswerCase] = [
    AnswerCase(
        kind: .permission,
        hook: bash,
        body: #"{"decision":"allow"}"#,
        output: decision(#"{"behavior":"allow"}"#)
    ),
    AnswerCase(
        kind: .permission,
        hook: bash,
        body: #"{"decision":"deny","message":"No: later"}"#,
        output: decision(#"{"behavior":"deny","message":"No: later"}"#)
    ),
    AnswerCase(
        kind: .permission,
        hook: bash,
        body: #"{"decision":"deny","interrupt":true}"#,
        output: decision(#"{"behavior":"deny","message":"\#(AnswerRules.refusal)","interrupt":true}"#)
    ),
    AnswerCase(
        kind: .permission,
        hook: bash,
        body: #"{"decision":"allow","scope":"session"}"#,
        output: decision(#"{"behavior":"allow","updatedPermissions":[\#(rule("Bash", "npm test", "session"))]}"#)
    ),
    AnswerCase(kind: .permission, hook: bash, body: #"{"decision":"allow","scope":"always"}"#, refused: "scope"),
    AnswerCase(
        kind: .permission,
        hook: bash,
        policy: "always=yes",
        body: #"{"decision":"allow","scope":"always"}"#,
        output: decision(#"{"behavior":"allow","updatedPermissions":[\#(rule("Bash", "npm test", "localSettings"))]}"#)
    ),
    AnswerCase(
        kind: .permission,
        hook: edit,
        body: #"{"decision":"allow","scope":"session"}"#,
        output: decision(#"{"behavior":"allow","updatedPermissions":[\#(rule("Edit", "//p/a.swift", "session"))]}"#)
    ),
    AnswerCase(kind: .permission, hook: fetch, body: #"{"decision":"allow","scope":"session"}"#, refused: "scope"),
    AnswerCase(
        kind: .permission,
        hook: #"{"tool_name":"Bash","tool_input":{"command":"rm *"}}"#,
        body: #"{"decision":"allow","scope":"session"}"#,
        refused: "scope"
    ),
    AnswerCase(kind: .plan, hook: plan, body: #"{"decision":"allow","mode":"acceptEdits"}"#, refused: "mode"),
    AnswerCase(
        kind: .permission,
        hook: bash,
        policy: "edits=yes",
        body: #"{"decision":"allow","permissions":["setMode"]}"#,
        output: decision(
            #"{"behavior":"allow","updatedPermissions":["#
                + #"{"type":"setMode","mode":"acceptEdits","destination":"session"}]}"#
        )
    ),
    AnswerCase(
        kind: .permission,
        hook: edit,
        body: #"{"decision":"allow","permissions":["setMode"]}"#,
        refused: "permissions"
    ),
    AnswerCase(
        kind: .permission,
        hook: bash,
        body:
            #"{"decision":"allow","permissions":["#
            + #"{"type":"setMode","mode":"bypassPermissions","destination":"session"}]}"#,
        refused: "permissions"
    ),
    AnswerCase(
        kind: .permission,
        hook: bash,
        policy: "always=yes",
        body: #"{"decision":"allow","scope":"session","permissions":[\#(rule("Bash", "npm run:*", "session"))]}"#,
        output: decision(#"{"behavior":"allow","updatedPermissions":[\#(rule("Bash", "npm run:*", "session"))]}"#)
    ),
    AnswerCase(
        kind: .permission,
        hook: bash,
        body: #"{"decision":"allow","permissions":[\#(rule("Write", "//etc/passwd", "session"))]}"#,
        refused: "permissions"
    ),
    AnswerCase(
        kind: .permission,
        hook: bash,
        body: #"{"decision":"allow","permissions":["addRules"]}"#,
        refused: "scope"
    ),
    AnswerCase(
        kind: .permission,
        hook: bash,
        body: #"{"decision":"allow","updated_input":{"command":"ls"}}"#,
        refused: "updated_input"
    ),
    AnswerCase(
        kind: .permission,
        hook: bash,
        policy: "change_input=yes",
        body: #"{"decision":"allow","updated_input":{"command":"ls"}}"#,
        output: decision(#"{"behavior":"allow","updatedInput":{"command":"ls"}}"#)
    ),
    AnswerCase(
        kind: .permission,
        hook: bash,
        policy: "change_input=yes",
        body: #"{"decision":"allow","updated_input":{"command":"ls","command":"rm"}}"#,
        refused: "updated_input"
    ),
    AnswerCase(kind: .permission, hook: bash, body: "{}", refused: "decision"),
    AnswerCase(kind: .permission, hook: bash, body: #"{"decision":"maybe"}"#, refused: "decision"),
    AnswerCase(kind: .permission, hook: bash, isWhole: false, body: #"{"decision":"allow"}"#, refused: "decision"),
    AnswerCase(
        kind: .permission,
        hook: bash,
        isWhole: false,
        body: #"{"decision":"deny","message":"x"}"#,
        output: decision(#"{"behavior":"deny","message":"x"}"#)
    ),
    AnswerCase(
        kind: .question,
        hook: ask,
        body: #"{"answers":{"Which?":"A","Also?":["C","D"]}}"#,
        output: decision(
            #"{"behavior":"allow","updatedInput":{\#(questions),"answers":{"Which?":"A","Also?":"C, D"}}}"#
        )
    ),
    AnswerCase(
        kind: .question,
        hook: ask,
        body: #"{"answers":{"Which?":"something else"},"notes":{"Which?":"a note"}}"#,
        output: decision(
            #"{"behavior":"allow","updatedInput":{\#(questions),"answers":{"Which?":"something else"},"#
                + #""annotations":{"Which?":{"notes":"a note"}}}}"#
        )
    ),
    AnswerCase(kind: .question, hook: ask, body: #"{"answers":{"Which?":["A","B"]}}"#, refused: "answers"),
    AnswerCase(kind: .question, hook: ask, body: #"{"answers":{"Whence?":"A"}}"#, refused: "answers"),
    AnswerCase(kind: .question, hook: ask, body: #"{"decision":"allow"}"#, refused: "answers"),
    AnswerCase(
        kind: .question,
        hook: ask,
        body: #"{"decision":"deny","message":"Not now"}"#,
        output: decision(#"{"behavior":"deny","message":"Not now"}"#)
    ),
    AnswerCase(
        kind: .plan,
        hook: plan,
        body: #"{"decision":"allow"}"#,
        output: decision(#"{"behavior":"allow","updatedInput":{"plan":"1. Do it.","planFilePath":"/plans/x.md"}}"#)
    ),
    AnswerCase(
        kind: .plan,
        hook: plan,
        policy: "edits=yes",
        body: #"{"decision":"allow","mode":"acceptEdits"}"#,
        output: decision(
            #"{"behavior":"allow","updatedInput":{"plan":"1. Do it.","planFilePath":"/plans/x.md"},"#
                + #""updatedPermissions":[{"type":"setMode","mode":"acceptEdits","destination":"session"}]}"#
        )
    ),
    AnswerCase(
        kind: .plan,
        hook: plan,
        body: #"{"decision":"allow","plan":"2."}"#,
        output: decision(#"{"behavior":"allow","updatedInput":{"planFilePath":"/plans/x.md","plan":"2."}}"#)
    ),
    AnswerCase(
        kind: .plan,
        hook: plan,
        body: #"{"decision":"deny","message":"Two files"}"#,
        output: decision(#"{"behavior":"deny","message":"Two files"}"#)
    ),
    AnswerCase(kind: .plan, hook: plan, body: #"{"decision":"allow","mode":"bypassPermissions"}"#, refused: "mode"),
    AnswerCase(
        kind: .elicitation,
        hook: form,
        body: #"{"action":"accept","content":{"branch":"main","count":3}}"#,
        output: accepted(#"{"branch":"main","count":3}"#)
    ),
    AnswerCase(
        kind: .elicitation,
        hook: form,
        body: #"{"action":"decline"}"#,
        output: #"{"hookSpecificOutput":{"hookEventName":"Elicitation","action":"decline"}}"#
    ),
    AnswerCase(kind: .elicitation, hook: form, body: #"{"action":"accept"}"#, refused: "content"),
    AnswerCase(
        kind: .elicitation,
        hook: form,
        body: #"{"action":"accept","content":{"branch":"m"}}"#,
        refused: "content"
    ),
    AnswerCase(
        kind: .elicitation,
        hook: form,
        body: #"{"action":"accept","content":{"branch":1}}"#,
        refused: "content"
    ),
    AnswerCase(
        kind: .elicitation,
        hook: form,
        body: #"{"action":"accept","content":{"branch":"main","level":"mid"}}"#,
        refused: "content"
    ),
    AnswerCase(
        kind: .elicitation,
        hook: form,
        body: #"{"action":"accept","content":{"branch":"main","count":4}}"#,
        refused: "content"
    ),
    AnswerCase(
        kind: .elicitation,
        hook: form,
        body: #"{"action":"accept","content":{"branch":"main","more":1}}"#,
        refused: "content"
    ),
    AnswerCase(kind: .elicitation, hook: form, body: #"{"decision":"allow"}"#, refused: "action"),
]

struct AnswerRulesTests {
    @Test("what a hook prints for an answer", arguments: cases)
    func answer(_ example: AnswerCase) throws {
        let rules = AnswerRules(
            kind: example.kind,
            hook: try JSONValue.parse(Array(example.hook.utf8)),
            policy: HoldPolicy(example.policy),
            isWhole: example.isWhole
        )
        do throws(APIError) {
            let body = try AnswerBody((try? JSONValue.parse(Array(example.body.utf8))) ?? .null)
            let output = try rules.decision(for: body).output
            #expect(String(decoding: output, as: UTF8.self) == example.output)
        } catch {
            #expect(error.status == 422 && error.code == "invalid_answer")
            #expect(error.param == example.refused, "\(error.message)")
        }
    }
}
