internal import EventModel

extension PromptTracker {
    /// Records the event's calls and agents, and ends the prompts that it answers or makes obsolete.
    mutating func close(_ hook: HookEvent) -> [Prompt] {
        note(hook)
        guard !open.isEmpty else { return [] }
        var closed: [Prompt] = []
        for prompt in open {
            guard let end = end(of: prompt, by: hook) else { continue }
            closed.append(prompt.closed(end, at: hook.time, evidence: hook.eventID))
        }
        guard !closed.isEmpty else { return [] }
        open.removeAll { prompt in closed.contains { $0.openedBy == prompt.openedBy } }
        for prompt in closed where prompt.source == .call && prompt.kind == .permission && hook.endsToolCall {
            isAutomatic = prompt.answeredBy == .rule && prompt.decision == .allow
        }
        if closed.contains(where: { $0.source == .call || $0.source == .dialog }) {
            answeredAt = max(answeredAt ?? hook.time, hook.time)
        }
        return closed
    }

    private func end(of prompt: Prompt, by hook: HookEvent) -> PromptEnd? {
        if hook.endsToolCall, ends(hook, prompt) { return answer(hook, prompt) }
        guard prompt.openedAt <= hook.time else { return nil }
        // What the session does besides tells nothing of a call that no turn has made. The machine's agent ends it.
        if RequestedCall.has(prompt.callID), ![.sessionEnd, .sessionStart].contains(hook.name) { return nil }
        let isSameAgent = prompt.agentID == hook.agentID
        switch hook.name {
        case .sessionEnd: return .gone
        case .sessionStart: return hook.isCompaction ? nil : .gone
        case .userPromptSubmit: return isSameAgent ? end(of: prompt, byInput: hook) : nil
        case .stop, .stopFailure: return isSameAgent ? .overtaken : nil
        case .postToolUse, .postToolUseFailure: return isSameAgent && prompt.mayBe(of: hook) ? .overtaken : nil
        case .postToolBatch: return isSameAgent && prompt.source != .elicitation ? .overtaken : nil
        case .subagentStop: return isSameAgent ? .overtaken : nil
        case .preToolUse: return startsAnew(hook, prompt) ? .overtaken : nil
        case .permissionRequest: return isRefused(hook, prompt) ? .overtaken : nil
        case .elicitationResult:
            return prompt.isElicitation(hook.details.elicitationID) ? .answered(by: .terminal) : nil
        case .notification:
            let isAnswer = hook.detail == "elicitation_complete" || hook.detail == "elicitation_response"
            return isAnswer && prompt.source == .elicitation ? .answered(by: .terminal) : nil
        default: return nil
        }
    }

    /// Input that no person typed can arrive while a dialog is open. It does not affect the dialog.
    private func end(of prompt: Prompt, byInput hook: HookEvent) -> PromptEnd? {
        if hook.isInjectedPrompt { return prompt.source == .idle ? .overtaken : nil }
        return prompt.kind == .input ? .answered(by: .terminal) : .overtaken
    }

    /// Whether the event is the result of the prompt's own call. If both ids are known, only these count.
    private func ends(_ hook: HookEvent, _ prompt: Prompt) -> Bool {
        guard prompt.source == .call else { return false }
        if let id = hook.toolUseID, let callID = prompt.callID { return id == callID }
        guard prompt.agentID == hook.agentID, prompt.toolName == hook.toolName, prompt.openedAt <= hook.time
        else { return false }
        if prompt.call == hook.call { return true }
        // The person may have changed the input, so the result matches only if a single prompt is possible. A waiting
        // hook ends with its own dialog, and must not be released by the result of another call.
        return !prompt.wasHeld
            && open.count { $0.source == .call && $0.agentID == hook.agentID && $0.toolName == hook.toolName } == 1
            && !calls.contains { $0.toolUseID == hook.toolUseID && $0.startedAt != nil }
    }

    /// If a tool ran at once, no person had to answer, unless its hook waited beside a dialog. The result arrives later
    /// by the tool's run time.
    private func answer(_ hook: HookEvent, _ prompt: Prompt) -> PromptEnd {
        guard prompt.kind == .permission || prompt.kind == .plan else { return .answered(by: .terminal) }
        guard hook.name != .permissionDenied else { return .answered(by: .rule, .deny) }
        let began = hook.time.adding(seconds: -(hook.details.durationSeconds ?? 0))
        let isByRule = !prompt.wasHeld && began.seconds(since: prompt.openedAt) < PromptTracker.ruleSeconds
        return .answered(by: isByRule ? .rule : .terminal, .allow)
    }

    /// Whether the same request is made again, after a refusal in the terminal.
    private func isRefused(_ hook: HookEvent, _ prompt: Prompt) -> Bool {
        prompt.source == .call && prompt.callID == nil && prompt.call == hook.call
            && hook.time.seconds(since: prompt.openedAt) > PromptTracker.repeatSeconds
    }

    private func startsAnew(_ hook: HookEvent, _ prompt: Prompt) -> Bool {
        switch prompt.source {
        case .idle: return hook.agentID == nil
        case .dialog, .input:
            let isLater = prompt.openedAt.adding(seconds: PromptTracker.slackSeconds) < hook.time
            return hook.agentID == prompt.agentID && isLater
        case .call:
            // The same call starts again, so the first one was refused in the terminal. A refusal there runs no hook.
            guard let id = hook.toolUseID, let callID = prompt.callID else { return false }
            return id != callID && prompt.call == hook.call
        case .elicitation: return false
        }
    }
}
