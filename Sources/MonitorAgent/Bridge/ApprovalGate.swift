internal import JSON
internal import MachinePolicy

/// A call that Claude Code wants a person to approve. What the server answers is checked by the machine's approvals
/// file, as for the prompts of hooks and of the agent's own sessions.
struct ApprovalGate {
    let call: PromptCall

    /// Returns `nil` if the arguments do not name a tool and its input.
    ///
    /// - Parameter project: the directory in which the client was started.
    init?(_ arguments: JSONValue, project: String) {
        guard let tool = arguments["tool_name"], tool.string?.isEmpty == false,
            let input = arguments["input"], input.isObject
        else { return nil }
        let hook = JSONValue.object([
            ("hook_event_name", .string("PermissionRequest")), ("cwd", .string(project)), ("tool_name", tool),
            ("tool_input", input),
        ])
        call = PromptCall(hook: hook, project: project)
    }

    /// The text for Claude Code, with only what the rule allows.
    ///
    /// - Parameter said: the server's text.
    func reply(to said: String, _ rule: SettledRule, isDirectory: @escaping (String) -> Bool) -> String {
        guard let answer = try? JSONValue.parse(Array(said.utf8), maxDepth: 128), answer.isObject else {
            return ApprovalGate.denial("The server gave no answer.")
        }
        let output = JSONValue.object([("hookEventName", .string(call.event)), ("decision", answer)])
        let checked: CheckedAnswer
        do throws(AnswerRefusal) {
            checked = try AnswerCheck(call, rule, isDirectory: isDirectory).checked(output)
        } catch {
            return ApprovalGate.denial("This machine refuses the answer: \(error).")
        }
        guard case .allow(let input, let permissions) = checked else {
            guard case .deny(let message, let interrupt) = checked else {
                return ApprovalGate.denial("The server gave no answer.")
            }
            let said = message.map { String($0.prefix(ApprovalGate.longestMessage)) }
            return ApprovalGate.denial(said ?? "The user denied this from another device.", interrupt: interrupt)
        }
        // A person sees and approves the call as it is. A plan is the person's text.
        guard input == nil || call.tool == "ExitPlanMode" else {
            return ApprovalGate.denial("This machine refuses the answer: it changes the input.")
        }
        guard rule.isAnswerable else { return ApprovalGate.denial(ApprovalGate.refusal) }
        var members: [(String, JSONValue)] = [("behavior", .string("allow"))]
        if let input { members.append(("updatedInput", input)) }
        if !permissions.isEmpty { members.append(("updatedPermissions", .array(permissions))) }
        return BridgeReply.text(.object(members))
    }

    /// The limit of a denial's text, in characters.
    private static let longestMessage = 2000

    static let refusal = "The approvals file of this machine lets nobody answer this from another device."

    static func denial(_ message: String, interrupt: Bool = false) -> String {
        var members: [(String, JSONValue)] = [("behavior", .string("deny")), ("message", .string(message))]
        if interrupt { members.append(("interrupt", .bool(true))) }
        return BridgeReply.text(.object(members))
    }
}
