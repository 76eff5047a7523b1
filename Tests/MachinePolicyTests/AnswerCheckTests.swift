import JSON
import Testing

@testable import MachinePolicy

@Suite("Answers, checked as the hooks check them")
struct AnswerCheckTests {
    private static let bash =
        #"{"hook_event_name":"PermissionRequest","tool_name":"Bash","tool_input":{"command":"npm test","#
        + #""timeout":5},"cwd":"/p","permission_suggestions":[{"type":"addDirectories","#
        + #""directories":["/home/u/p"],"destination":"session"},{"type":"setMode","mode":"acceptEdits","#
        + #""destination":"session"},{"type":"addRules","rules":[{"toolName":"Bash","#
        + #""ruleContent":"npm test *"}],"behavior":"allow","destination":"localSettings"},{"type":"addRules","#
        + #""rules":[{"toolName":"Bash"}],"behavior":"allow","destination":"localSettings"}]}"#
    private static let edit =
        #"{"hook_event_name":"PermissionRequest","tool_name":"Edit","tool_input":{"file_path":"/p/a b.txt"},"#
        + #""cwd":"/p"}"#
    private static let questions =
        #"{"hook_event_name":"PermissionRequest","tool_name":"AskUserQuestion","#
        + #""tool_input":{"questions":[{"question":"Which é?","options":[]},{"question":"Two?"}],"#
        + #""answers":{"x":1},"z":true},"cwd":"/p"}"#
    private static let plan =
        #"{"hook_event_name":"PermissionRequest","tool_name":"ExitPlanMode","tool_input":{"plan":"do","#
        + #""planFilePath":"/x"},"cwd":"/p"}"#
    private static let emptyPlan =
        #"{"hook_event_name":"PermissionRequest","tool_name":"ExitPlanMode","tool_input":{},"cwd":"/p"}"#
    private static let form =
        #"{"hook_event_name":"Elicitation","requested_schema":{"properties":{"a":{"type":"string"},"#
        + #""b":{"type":"boolean"},"n":{"type":"number"},"i":{"type":"integer"},"l":{"type":"array"}}},"#
        + #""cwd":"/p"}"#

    /// The insides of `decision`, for a prompt that is no form.
    private static let decisions: [(hook: String, decisions: [String])] = [
        (
            bash,
            [
                #"{"behavior":"allow"}"#, #"{"behavior":"deny"}"#,
                #"{"behavior":"deny","message":"No \"é\"\n","interrupt":true}"#,
                #"{"behavior":"deny","message":5,"interrupt":"true"}"#, #"{"behavior":"maybe"}"#, #"{}"#, #"[]"#,
                #"{"behavior":"allow","updatedInput":{"timeout":5,"command":"npm test"}}"#,
                #"{"behavior":"allow","updatedInput":null,"updatedPermissions":null}"#,
                #"{"behavior":"allow","updatedInput":[]}"#,
                #"{"behavior":"allow","updatedInput":{"command":"rm -rf /"}}"#,
                #"{"behavior":"allow","updatedInput":{"timeout":50,"command":"npm test"}}"#,
                #"{"behavior":"allow","updatedInput":{"timeout":5,"command":"npm test","x":1}}"#,
                #"{"behavior":"allow","updatedPermissions":{}}"#,
            ]
                + [
                    #"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test"}],"#
                        + #""behavior":"allow","destination":"session","x":1}"#,
                    #"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test"}],"#
                        + #""behavior":"allow","destination":"localSettings"}"#,
                    #"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test"}],"#
                        + #""behavior":"deny","destination":"session"}"#,
                    #"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm *"}],"#
                        + #""behavior":"allow","destination":"session"}"#,
                    #"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm *"}],"#
                        + #""behavior":"allow","destination":"localSettings"}"#,
                    #"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test *"}],"#
                        + #""behavior":"allow","destination":"localSettings"}"#,
                    #"{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"allow","#
                        + #""destination":"localSettings"}"#,
                    #"{"type":"addRules","rules":[{"toolName":"Bash"}],"behavior":"allow","#
                        + #""destination":"session"}"#,
                    #"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"*"}],"behavior":"allow","#
                        + #""destination":"localSettings"}"#,
                    #"{"type":"addRules","rules":[{"toolName":"Edit","ruleContent":"x"}],"behavior":"allow","#
                        + #""destination":"localSettings"}"#,
                    #"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"npm test"}],"#
                        + #""behavior":"allow","destination":"userSettings"}"#,
                    #"{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":7}],"behavior":"allow","#
                        + #""destination":"session"}"#,
                    #"{"type":"addRules","rules":[],"behavior":"allow","destination":"session"}"#,
                    #"{"type":"replaceRules","rules":[{"toolName":"Bash","ruleContent":"npm test"}],"#
                        + #""behavior":"allow","destination":"session"}"#,
                    #"{"type":"setMode","mode":"acceptEdits","destination":"session"}"#,
                    #"{"type":"setMode","mode":"bypassPermissions","destination":"session"}"#,
                    #"{"type":"setMode","mode":"default","destination":"session"}"#,
                    #"{"type":"setMode","mode":"acceptEdits","destination":"localSettings"}"#,
                    #"{"type":"addDirectories","directories":["/home/u/p"],"destination":"session"}"#,
                    #"{"type":"addDirectories","directories":["/"],"destination":"session"}"#,
                ].map { #"{"behavior":"allow","updatedPermissions":[\#($0)]}"# }
        ),
        (
            edit,
            [
                #"{"type":"addRules","rules":[{"toolName":"Edit","ruleContent":"//p/a b.txt"}],"#
                    + #""behavior":"allow","destination":"session"}"#,
                #"{"type":"addRules","rules":[{"toolName":"Write","ruleContent":"//p/a b.txt"}],"#
                    + #""behavior":"allow","destination":"session"}"#,
                #"{"type":"addRules","rules":[{"toolName":"Edit","ruleContent":"/p/a b.txt"}],"#
                    + #""behavior":"allow","destination":"session"}"#,
            ].map { #"{"behavior":"allow","updatedPermissions":[\#($0)]}"# }
        ),
        (
            questions,
            [
                #"{"behavior":"allow"}"#, #"{"behavior":"allow","updatedInput":{"answers":{}}}"#,
                #"{"behavior":"allow","updatedInput":{"answers":{"Which é?":"A"}}}"#,
                #"{"behavior":"allow","updatedInput":{"answers":{"Which \u00e9?":["A","B"],"Two?":"C"},"#
                    + #""questions":[],"annotations":{"Two?":{"notes":"n","x":1}}}}"#,
                #"{"behavior":"allow","updatedInput":{"answers":{"Other?":"A"}}}"#,
                #"{"behavior":"allow","updatedInput":{"answers":{"Two?":[]}}}"#,
                #"{"behavior":"allow","updatedInput":{"answers":{"Two?":5}}}"#,
                #"{"behavior":"deny","message":"no"}"#,
            ]
        ),
        (
            plan,
            [
                #"{"behavior":"allow"}"#, #"{"behavior":"allow","updatedInput":{"plan":"do","x":1}}"#,
                #"{"behavior":"allow","updatedInput":{"plan":"do more"}}"#,
                #"{"behavior":"allow","updatedInput":{"plan":7}}"#,
                #"{"behavior":"allow","updatedPermissions":[{"type":"setMode","mode":"acceptEdits","#
                    + #""destination":"session"}]}"#,
                #"{"behavior":"allow","updatedPermissions":[{"type":"setMode","mode":"acceptEdits","#
                    + #""destination":"localSettings"}]}"#,
                #"{"behavior":"allow","updatedPermissions":[{"type":"setMode","mode":"auto","#
                    + #""destination":"session"}]}"#,
            ]
        ),
        (emptyPlan, [#"{"behavior":"allow"}"#, #"{"behavior":"allow","updatedInput":{"plan":"mine"}}"#]),
    ]

    private static let forms = [
        #"{"action":"decline"}"#, #"{"action":"cancel","content":{"a":"x"}}"#, #"{"action":"accept"}"#,
        #"{"action":"eat"}"#,
        #"{"action":"accept","content":{"a":"x","b":true,"n":-1.5,"i":7,"l":["x"]}}"#,
        #"{"action":"accept","content":[]}"#,
        #"{"action":"accept","content":{"q":"x"}}"#, #"{"action":"accept","content":{"b":"true"}}"#,
        #"{"action":"accept","content":{"i":1.5}}"#, #"{"action":"accept","content":{"l":[1]}}"#,
        #"{"action":"accept","content":{"a":1}}"#,
    ]

    private static let approvals = [
        "", "always=yes", "change_input=yes", "risk=edit who=notify", "who=off", "always=yes\nnonsense",
    ]

    @Test("each answer has the outcome that the hook gives it")
    func outcomes() throws {
        let reader = try HookReader()
        defer { reader.remove() }
        var cases: [(JSONValue, JSONValue)] = []
        for (hook, decisions) in AnswerCheckTests.decisions {
            for decision in decisions {
                cases.append((json(hook), json(#"{"hookEventName":"PermissionRequest","decision":\#(decision)}"#)))
            }
        }
        for form in AnswerCheckTests.forms {
            let output = json(#"{"hookEventName":"Elicitation",\#(form.dropFirst())"#)
            cases.append((json(AnswerCheckTests.form), output))
        }
        cases.append((json(AnswerCheckTests.bash), json(#"{"hookEventName":"Elicitation","action":"accept"}"#)))
        var refused = 0
        for (index, (hook, output)) in cases.enumerated() {
            for (number, text) in AnswerCheckTests.approvals.enumerated() where number < 2 || (index + number) % 4 == 0
            {
                let call = PromptCall(hook: hook)
                let rule = SettledRule(call, in: Approvals(Array(text.utf8)), for: .terminal, now: "12:00", home: "/h")
                let done = try reader.answer(hook, output, settled: rule.words)
                let name = Comment(rawValue: "\(index) \(text)")
                do throws(AnswerRefusal) {
                    let checked = try AnswerCheck(call, rule, isDirectory: { _ in false }).checked(output)
                    #expect(done.code == 0, name)
                    guard done.code == 0 else { continue }
                    #expect(AnswerCheck.same(printed(checked, call.event), json(done.output)), name)
                } catch {
                    refused += 1
                    #expect(done.code == 4, name)
                    #expect("\(error)\n" == done.errors, name)
                }
            }
        }
        #expect(refused > 60 && cases.count > 60)
    }

    /// As a hook would print it.
    private func printed(_ answer: CheckedAnswer, _ event: String) -> JSONValue {
        var members: [(String, JSONValue)] = [("hookEventName", .string(event))]
        switch answer {
        case .allow(let input, let permissions):
            var decision: [(String, JSONValue)] = [("behavior", .string("allow"))]
            if let input { decision.append(("updatedInput", input)) }
            if !permissions.isEmpty { decision.append(("updatedPermissions", .array(permissions))) }
            members.append(("decision", .object(decision)))
        case .deny(let message, let interrupt):
            var decision: [(String, JSONValue)] = [("behavior", .string("deny"))]
            if let message { decision.append(("message", .string(message))) }
            if interrupt { decision.append(("interrupt", .bool(true))) }
            members.append(("decision", .object(decision)))
        case .form(let action, let content):
            members.append(("action", .string(action)))
            if let content { members.append(("content", content)) }
        }
        return .object([("hookSpecificOutput", .object(members))])
    }

    @Test("other spellings of a character are other texts")
    func spelling() {
        let composed = json(#"{"a":"\u00e9"}"#)
        let decomposed = json(#"{"a":"e\u0301"}"#)
        #expect(!AnswerCheck.same(composed, decomposed))
        #expect(AnswerCheck.same(composed, json(#"{"a":"é"}"#)))
    }

    @Test("a directory has no exact rule")
    func directory() {
        let call = PromptCall(hook: json(AnswerCheckTests.edit))
        let rule = SettledRule(call, in: .absent, for: .agent, now: "12:00", home: "/h")
        let output = json(
            #"{"hookEventName":"PermissionRequest","decision":{"behavior":"allow","#
                + #""updatedPermissions":[{"type":"addRules","rules":[{"toolName":"Edit","#
                + #""ruleContent":"//p/a b.txt"}],"behavior":"allow","destination":"session"}]}}"#
        )
        #expect(throws: AnswerRefusal.self) { try AnswerCheck(call, rule, isDirectory: { _ in true }).checked(output) }
        #expect(throws: Never.self) { try AnswerCheck(call, rule, isDirectory: { _ in false }).checked(output) }
    }
}
