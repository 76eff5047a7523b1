internal import EventModel

/// Which prompts of a session are open, whatever the order in which its events arrive.
///
/// Hooks run in parallel and a "no" in the terminal fires none, so a prompt ends by its tool's result or by what its
/// agent does next, and an event may come after the one that makes it void. The sender's times tell where they can;
/// where an event was stamped on arrival, `slackSeconds` allow for it.
struct PromptTable: Sendable, Equatable {
    static let maximumPrompts = 16
    static let maximumCalls = 16
    static let maximumMarks = 16
    /// Events of hooks that ran together arrive within so many seconds.
    static let slackSeconds = 1.0
    /// One request that arrives twice arrives within so many seconds.
    static let repeatSeconds = 2.0
    /// The notification of a dialog follows the dialog after 6 s: sooner after an answer, it is about what was
    /// answered.
    static let dialogDelaySeconds = 5.0

    var prompts: [OpenPrompt] = []
    var calls: [SeenCall] = []
    var marks: [AgentMark] = []
    /// When a prompt of a tool call was last answered.
    var answeredAt: Timestamp?
    var elicitedAt: Timestamp?
    var sessionEndedAt: Timestamp?
    /// This session's Claude Code has told of a dialog by a notification before.
    var announcesDialogs = false
    /// The latest request that came to its result was allowed without a person.
    var isAutomatic = false

    struct Closed: Equatable {
        var prompt: OpenPrompt
        var reason: WithdrawalReason
    }

    func pending(_ kind: NoticeKind) -> Int { prompts.count { $0.kind == kind } }

    /// Seconds for the notification of a request's dialog to come; without it nobody may have been asked. It comes
    /// 6 s after the dialog, later where the person is typing. Only the main agent's dialogs are known to have one.
    func unconfirmedSeconds(_ prompt: OpenPrompt) -> Double {
        guard prompt.source == .call, prompt.kind == .permission, prompt.call.agentID == nil else { return 0 }
        switch (announcesDialogs, isAutomatic) {
        case (false, false): return 0
        case (true, true): return 300
        case (true, false), (false, true): return 30
        }
    }

    /// The open requests of which one stands before a person, as the event shows: not those that were made later.
    mutating func confirmed(by hook: HookReading) -> [OpenPrompt] {
        guard hook.name == .notification, hook.detail == "permission_prompt" else { return [] }
        announcesDialogs = true
        return prompts.filter { $0.source == .call && $0.kind == .permission && $0.openedAt < hook.time }
    }

    /// - Returns: the prompt, if the event opens one that is not known yet.
    mutating func open(_ hook: HookReading, key: String) -> OpenPrompt? {
        let prompt: OpenPrompt? =
            switch hook.name {
            case .permissionRequest: openedCall(hook, key)
            case .preToolUse: hook.isQuestionTool ? openedCall(hook, key) : nil
            case .elicitation: openedElicitation(hook, key)
            case .notification: openedByNotification(hook, key)
            default: nil
            }
        if let prompt { prompts.append(prompt) }
        return prompt
    }

    /// Makes room for the bound.
    mutating func forgetOldest() -> [Closed] {
        guard prompts.count > PromptTable.maximumPrompts else { return [] }
        return [Closed(prompt: prompts.removeFirst(), reason: .forgotten)]
    }

    private mutating func openedCall(_ hook: HookReading, _ key: String) -> OpenPrompt? {
        let index = latestCall(hook)
        // A call that was over before this request is another one, whose start has not come.
        let seen = index.map { calls[$0] }.flatMap { $0.isOver && !endsAfter(hook, $0) ? nil : $0 }
        let toolUseID = hook.toolUseID ?? seen?.toolUseID
        if seen?.wasAsked ?? false, toolUseID != nil { return nil }
        guard !isLate(hook, seen) else { return nil }
        if let index, seen != nil { calls[index].wasAsked = true }
        if let known = prompts.firstIndex(where: { $0.isAsked(again: hook, toolUseID) }) {
            prompts[known].toolUseID = prompts[known].toolUseID ?? toolUseID
            return nil
        }
        let kind: NoticeKind = hook.isQuestionTool ? .question : .permission
        if let known = prompts.firstIndex(where: { $0.source == .dialog && $0.announces(hook, kind) }) {
            // The dialog's notification has overtaken its request.
            prompts[known].source = .call
            prompts[known].call = hook.call
            prompts[known].toolUseID = toolUseID
            return nil
        }
        var prompt = self.prompt(hook, key, .call, kind)
        prompt.toolUseID = toolUseID
        return prompt
    }

    /// The call that was started last before the request; rather one that was not asked about and may still run.
    private func latestCall(_ hook: HookReading) -> Int? {
        if let id = hook.toolUseID { return calls.firstIndex { $0.toolUseID == id } }
        let mark = self.mark(of: hook.agentID) ?? .distantPast
        let possible = calls.indices.filter { index in
            calls[index].key == hook.call && calls[index].startedAt ?? hook.time <= hook.time
        }
        let fresh = possible.filter { index in
            !calls[index].wasAsked && !calls[index].isOver && calls[index].startedAt ?? .distantPast > mark
        }
        return (fresh.isEmpty ? possible : fresh).max { left, right in
            (calls[left].startedAt ?? .distantPast) < (calls[right].startedAt ?? .distantPast)
        }
    }

    private func endsAfter(_ hook: HookReading, _ call: SeenCall) -> Bool {
        call.endedAt.map { $0.adding(seconds: PromptTable.slackSeconds) >= hook.time } ?? false
    }

    /// Whether the call, the turn or the session of the request is over.
    private func isLate(_ hook: HookReading, _ seen: SeenCall?) -> Bool {
        if let seen, seen.isOver { return true }
        guard let mark = mark(of: hook.agentID) else { return false }
        if mark >= hook.time { return true }
        let began = hook.name == .preToolUse ? hook.time : seen?.startedAt ?? .distantPast
        return began <= mark && mark.adding(seconds: PromptTable.slackSeconds) >= hook.time
    }

    private mutating func openedElicitation(_ hook: HookReading, _ key: String) -> OpenPrompt? {
        if let index = prompts.firstIndex(where: { $0.source == .elicitation && $0.isElicitation(hook.elicitationID) })
        {
            prompts[index].name = hook.elicitationID
            return nil
        }
        guard elicitedAt.map({ $0 < hook.time }) ?? true, mark(of: hook.agentID).map({ $0 < hook.time }) ?? true
        else { return nil }
        return prompt(hook, key, .elicitation, .question, name: hook.elicitationID)
    }

    private func openedByNotification(_ hook: HookReading, _ key: String) -> OpenPrompt? {
        let isStale = mark(of: nil).map { $0 >= hook.time } ?? false
        switch hook.detail {
        case "permission_prompt", "worker_permission_prompt":
            let isAnswered =
                answeredAt.map { $0.adding(seconds: PromptTable.dialogDelaySeconds) >= hook.time } ?? false
            let isKnown = prompts.contains { $0.source == .call || $0.source == .dialog }
            return isStale || isAnswered || isKnown ? nil : prompt(hook, key, .dialog, .permission)
        case "agent_needs_input":
            return isStale || pending(.question) > 0 ? nil : prompt(hook, key, .input, .question)
        case "elicitation_dialog", "elicitation_url_dialog":
            let isAnswered =
                elicitedAt.map { $0.adding(seconds: PromptTable.dialogDelaySeconds) >= hook.time } ?? false
            let isKnown = prompts.contains { $0.source == .elicitation }
            return isStale || isAnswered || isKnown ? nil : prompt(hook, key, .elicitation, .question)
        case "idle_prompt":
            return prompts.isEmpty ? prompt(hook, key, .idle, .question) : nil
        default: return nil
        }
    }

    private func prompt(
        _ hook: HookReading,
        _ key: String,
        _ source: OpenPrompt.Source,
        _ kind: NoticeKind,
        name: String? = nil
    ) -> OpenPrompt {
        OpenPrompt(key: key, source: source, kind: kind, call: hook.call, name: name, openedAt: hook.time)
    }

    /// When the latest turn or batch of the agent ended, or its session.
    func mark(of agentID: String?) -> Timestamp? {
        let own = marks.first { $0.agentID == agentID ?? "" }?.at
        return [own, sessionEndedAt].compactMap(\.self).max()
    }
}

extension OpenPrompt {
    /// Two calls of one input are two where both have ids and these differ, or where time lies between them.
    fileprivate func isAsked(again request: HookReading, _ otherID: String?) -> Bool {
        guard source == .call else { return false }
        if let toolUseID, let otherID { return toolUseID == otherID }
        return call == request.call && abs(request.time.seconds(since: openedAt)) <= PromptTable.repeatSeconds
    }

    fileprivate func announces(_ request: HookReading, _ kind: NoticeKind) -> Bool {
        kind == self.kind && request.time <= openedAt.adding(seconds: PromptTable.slackSeconds)
    }

    func isElicitation(_ other: String?) -> Bool { name == nil || other == nil || name == other }
}
