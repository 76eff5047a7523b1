package import EventModel
internal import JSON

/// What the approvals file says about one prompt, with the defaults of the keys that the rule does not contain.
package struct SettledRule: Sendable, Equatable {
    package enum Who: String, Sendable { case off, notify, answer }
    package enum After: String, Sendable { case ask, deny }

    /// The program that waits for the answer.
    package enum Waiter: Sendable {
        /// The hook of a session at a terminal.
        case terminal
        /// The hook of a session without a terminal. It waits only as long as a rule says.
        case headless
        /// The machine's agent, which runs the session. Nobody is at a terminal, so it waits until somebody answers,
        /// and quiet hours silence pushes only.
        case agent
    }

    package fileprivate(set) var who = Who.answer
    /// Seconds.
    package fileprivate(set) var hold: Int
    /// Whether a rule says how long to wait.
    package fileprivate(set) var isHoldWritten = false
    package fileprivate(set) var after = After.ask
    package fileprivate(set) var allowsAlways = false
    package fileprivate(set) var allowsChangedInput = false
    /// Ids of devices, and `operator`; empty means all of them.
    package fileprivate(set) var devices = ""
    package fileprivate(set) var isQuiet = false
    package fileprivate(set) var risk = ToolRisk.highest
    /// The changes of permissions that an answer may contain.
    package fileprivate(set) var permits = Permits()

    package struct Permits: Sendable, Equatable {
        package var edits = false
        package var directories = false
        package var anyRule = false
    }

    fileprivate init(hold: Int) { self.hold = hold }

    /// The rule of the file for a prompt.
    ///
    /// - Parameters:
    ///   - now: the time of day, HH:MM.
    ///   - home: the person's home directory, for `~` in the file.
    package init(_ call: PromptCall, in file: Approvals, for waiter: Waiter, now: String, home: String) {
        let reader = RuleReader(file: file, call: call, isAgent: waiter == .agent, now: now, home: Array(home.utf8))
        self = reader.settled(SettledRule.defaultHold(call, waiter))
    }

    private static func defaultHold(_ call: PromptCall, _ waiter: Waiter) -> Int {
        switch waiter {
        case .headless: return 0
        case .agent: return RuleReader.longestHold
        case .terminal:
            let agent = call.hook["agent_id"]?.string ?? ""
            return !agent.isEmpty || call.event == "Elicitation" ? 15 : RuleReader.longestHold
        }
    }

    /// Whether a device may answer at all.
    package var isAnswerable: Bool { who == .answer && hold > 0 }

    /// Whether an answer may contain rules: those that match exactly the call, those that Claude Code suggests, or any
    /// of the tool.
    package var rules: String { !allowsAlways ? "exact" : permits.anyRule ? "any" : "suggested" }

    /// The words of the header X-Hold-Policy.
    package var words: String {
        func yes(_ truth: Bool) -> String { truth ? "yes" : "no" }
        return "who=\(who.rawValue) hold=\(hold) after=\(after.rawValue) always=\(yes(allowsAlways))"
            + " change_input=\(yes(allowsChangedInput)) risk=\(risk.rawValue)"
            + (devices.isEmpty ? "" : " devices=\(devices)") + (isQuiet ? " quiet=now" : "")
            + " edits=\(yes(permits.edits)) directories=\(yes(permits.directories)) rules=\(rules)"
    }
}

/// Applies the rules of one file to one prompt.
private struct RuleReader {
    static let longestHold = 3600

    let file: Approvals
    let call: PromptCall
    let isAgent: Bool
    let now: String
    let home: [UInt8]

    private func rule(_ tool: String, _ risk: ToolRisk) -> Approvals.Rule? {
        guard file.flaw == nil else { return nil }
        return file.rule(tool: Array(tool.utf8), risk: risk, project: Array(call.project.utf8), home: home)
    }

    func settled(_ defaultHold: Int) -> SettledRule {
        let rule = rule(call.tool, call.risk)
        var settled = settle(rule, defaultHold)
        settled.risk = call.risk
        // In the mode acceptEdits Claude Code edits files of the project, including secrets, and runs rm, rmdir, mv,
        // cp, touch, mkdir and sed.
        settled.permits.edits =
            allow(rule, ["Edit", "Write", "MultiEdit", "NotebookEdit"], [.edit, .credentials])
            && allow(rule, ["Bash"], [.edit, .delete, .credentials])
        // In an additional directory Claude Code reads without a question, and edits in the mode acceptEdits.
        settled.permits.directories =
            settled.permits.edits && allow(rule, ["Read", "Grep", "Glob", "Bash"], [.read, .credentials])
        // A pattern that a person writes can match any call of the tool.
        settled.permits.anyRule = allow(rule, [call.tool], ToolRisk.allCases, always: true)
        return settled
    }

    private func settle(_ rule: Approvals.Rule?, _ defaultHold: Int) -> SettledRule {
        var settled = SettledRule(hold: defaultHold)
        guard file.flaw == nil else {
            settled.who = .notify
            return settled
        }
        guard let rule else { return settled }
        settled.who = rule.text("who").flatMap(SettledRule.Who.init) ?? .answer
        if let hold = rule.text("hold").flatMap({ Int($0) }) {
            settled.hold = min(hold, RuleReader.longestHold)
            settled.isHoldWritten = true
        }
        settled.after = rule.text("after").flatMap(SettledRule.After.init) ?? .ask
        settled.allowsAlways = rule.text("always") == "yes"
        settled.allowsChangedInput = rule.text("change_input") == "yes"
        settled.devices = rule.text("devices") ?? ""
        guard let quiet = rule.text("quiet"), isWithin(quiet) else { return settled }
        settled.isQuiet = true
        if !isAgent { (settled.who, settled.after) = (.off, .ask) }
        return settled
    }

    private func isWithin(_ quiet: String) -> Bool {
        let (start, end) = (String(quiet.prefix(5)), String(quiet.suffix(5)))
        return start <= end ? now >= start && now < end : now >= start || now < end
    }

    /// Whether, for each of the tools at each of the risks, the rule that applies lets every device answer that the
    /// rule `own` lets answer. With `always`, that rule must also allow permanent permissions.
    private func allow(_ own: Approvals.Rule?, _ tools: [String], _ risks: [ToolRisk], always: Bool = false) -> Bool {
        let devices = own?.text("devices") ?? ""
        return tools.allSatisfy { tool in
            risks.allSatisfy { risk in
                let said = settle(rule(tool, risk), RuleReader.longestHold)
                return said.isAnswerable && (!always || said.allowsAlways)
                    && (said.devices.isEmpty || said.devices == devices)
            }
        }
    }
}
