import HTTPModel
import JSON
import Sessions
import Testing

@testable import Prompts

/// A change of permissions in an answer to `npm test`, and the scope that is recorded or the parameter that is refused.
struct PermissionCase: Sendable, CustomTestStringConvertible {
    var tool = "Bash"
    var always = false
    /// The words of the machine's file; `nil` leaves them to `always`.
    var policy: String?
    var scope: String? = "session"
    var permission: String
    var recorded: PromptAnswer.Scope?
    var refused: String?

    var testDescription: String { "\(tool) \(always) \(scope ?? "-") \(permission)" }
}

private let suggestions = [
    rule("Bash", "npm test:*", "localSettings"), rule("mcp__git", nil, "userSettings"),
    #"{"type":"setMode","mode":"bypassPermissions","destination":"session"}"#,
    #"{"type":"setMode","mode":"acceptEdits","destination":"localSettings"}"#,
    #"{"type":"addDirectories","directories":["/p"],"destination":"session"}"#,
    #"{"type":"addDirectories","directories":["/q"],"destination":"localSettings"}"#,
    #"{"type":"removeRules","rules":[{"toolName":"Bash"}],"behavior":"allow","destination":"session"}"#,
]

private func rule(_ tool: String, _ content: String?, _ destination: String, behavior: String = "allow") -> String {
    let rest = content.map { #","ruleContent":"\#($0)""# } ?? ""
    return #"{"type":"addRules","rules":[{"toolName":"\#(tool)"\#(rest)}],"behavior":"\#(behavior)","#
        + #""destination":"\#(destination)"}"#
}

private let cases: [PermissionCase] = [
    // A file with always=no allows a rule for exactly this call, in this session.
    PermissionCase(permission: rule("Bash", "npm test", "session"), recorded: .session),
    PermissionCase(scope: nil, permission: rule("Bash", "npm test", "session"), recorded: .session),
    PermissionCase(tool: "Write", permission: rule("Edit", "//p/a", "session"), recorded: .session),
    PermissionCase(permission: rule("Bash", "npm *", "session"), refused: "permissions"),
    PermissionCase(scope: nil, permission: rule("Bash", "npm *", "session"), refused: "permissions"),
    PermissionCase(permission: rule("Bash", "npm test:*", "session"), refused: "permissions"),
    PermissionCase(tool: "Write", permission: rule("Edit", "//p/**", "session"), refused: "permissions"),
    PermissionCase(permission: suggestions[0], refused: "scope"),
    PermissionCase(scope: "always", permission: rule("Bash", "npm test", "localSettings"), refused: "scope"),
    // One with always=yes allows wider and longer ones, each with the scope that it has.
    PermissionCase(always: true, permission: rule("Bash", "npm *", "session"), recorded: .session),
    PermissionCase(always: true, permission: rule("Bash", " : *", "session"), refused: "permissions"),
    PermissionCase(always: true, permission: #""addRules""#, refused: "permissions"),
    PermissionCase(always: true, scope: "always", permission: suggestions[0], recorded: .always),
    PermissionCase(always: true, scope: nil, permission: suggestions[0], recorded: .always),
    PermissionCase(always: true, permission: suggestions[0], refused: "scope"),
    PermissionCase(always: true, scope: "once", permission: suggestions[0], refused: "scope"),
    PermissionCase(always: true, scope: "always", permission: suggestions[1], refused: "permissions"),
    PermissionCase(always: true, permission: rule("Write", "//p/a", "session"), refused: "permissions"),
    // A pattern of a person's own needs a file that lets devices answer for all calls of the tool.
    PermissionCase(policy: "always=yes rules=any", permission: rule("Bash", "npm *", "session"), recorded: .session),
    PermissionCase(
        policy: "always=yes rules=suggested",
        permission: rule("Bash", "npm *", "session"),
        refused: "permissions"
    ),
    PermissionCase(
        policy: "always=yes rules=suggested",
        scope: "always",
        permission: suggestions[0],
        recorded: .always
    ),
    // What a mode or a directory permits goes beyond the call.
    PermissionCase(policy: "", scope: "once", permission: suggestions[4], refused: "permissions"),
    PermissionCase(
        policy: "edits=yes directories=no",
        scope: "once",
        permission: suggestions[4],
        refused: "permissions"
    ),
    PermissionCase(policy: "directories=yes", scope: "once", permission: suggestions[4], recorded: .once),
    // Other changes.
    PermissionCase(always: true, scope: "once", permission: suggestions[2], refused: "permissions"),
    PermissionCase(always: true, scope: "always", permission: suggestions[3], refused: "permissions"),
    PermissionCase(scope: "once", permission: suggestions[4], recorded: .once),
    PermissionCase(scope: nil, permission: suggestions[4], recorded: .once),
    PermissionCase(always: true, scope: "always", permission: suggestions[5], refused: "permissions"),
    PermissionCase(always: true, scope: "once", permission: suggestions[6], refused: "permissions"),
]

struct PermissionLimitsTests {
    @Test("what a hook would not print, and what lasts longer than its scope, is refused", arguments: cases)
    func permission(_ example: PermissionCase) throws {
        let hook =
            #"{"tool_name":"\#(example.tool)","tool_input":{"command":"npm test","file_path":"/p/a"},"#
            + #""permission_suggestions":[\#(suggestions.joined(separator: ","))]}"#
        let scope = example.scope.map { #""scope":"\#($0)","# } ?? ""
        let text = #"{"decision":"allow",\#(scope)"permissions":[\#(example.permission)]}"#
        let policy = HoldPolicy(example.policy ?? (example.always ? "always=yes edits=yes" : "edits=yes"))
        let rules = AnswerRules(kind: .permission, hook: try JSONValue.parse(Array(hook.utf8)), policy: policy)
        do throws(APIError) {
            let body = try AnswerBody((try? JSONValue.parse(Array(text.utf8))) ?? .null)
            let decision = try rules.decision(for: body)
            #expect((body.scope ?? decision.scope) == example.recorded)
        } catch {
            #expect(error.status == 422 && error.code == "invalid_answer")
            #expect(error.param == example.refused, "\(error.message)")
        }
    }
}
