internal import EventModel

extension PromptTable {
    /// Notes what the event says about calls and agents, and ends the prompts that it answers or makes void.
    mutating func close(_ hook: HookReading) -> [Closed] {
        note(hook)
        var closed: [Closed] = []
        for prompt in prompts {
            if let reason = reason(hook, prompt) { closed.append(Closed(prompt: prompt, reason: reason)) }
        }
        let keys = Set(closed.map(\.prompt.key))
        prompts.removeAll { keys.contains($0.key) }
        for end in closed where end.prompt.source == .call && end.prompt.kind == .permission && hook.endsToolCall {
            isAutomatic = end.reason == .autoApproved
        }
        if closed.contains(where: { $0.prompt.source == .call || $0.prompt.source == .dialog }) {
            answeredAt = max(answeredAt ?? hook.time, hook.time)
        }
        return closed
    }

    private mutating func note(_ hook: HookReading) {
        switch hook.name {
        case .preToolUse:
            update(hook) { $0.startedAt = max($0.startedAt ?? hook.time, hook.time) }
            name(hook)
        case .postToolUse, .postToolUseFailure, .permissionDenied:
            update(hook) { $0.endedAt = max($0.endedAt ?? hook.time, hook.time) }
        case .postToolBatch, .subagentStop, .stop, .stopFailure, .userPromptSubmit: mark(hook.agentID, at: hook.time)
        case .sessionEnd: sessionEndedAt = max(sessionEndedAt ?? hook.time, hook.time)
        case .sessionStart:
            if hook.detail != "compact" { mark(nil, at: hook.time) }
        case .elicitationResult: elicitedAt = max(elicitedAt ?? hook.time, hook.time)
        default: break
        }
    }

    private mutating func update(_ hook: HookReading, _ change: (inout SeenCall) -> Void) {
        let index = calls.firstIndex { seen in
            if let id = hook.toolUseID, let seenID = seen.toolUseID { return id == seenID }
            return seen.key == hook.call
        }
        var call = index.map { calls.remove(at: $0) } ?? SeenCall(key: hook.call)
        call.toolUseID = call.toolUseID ?? hook.toolUseID
        change(&call)
        calls.append(call)
        if calls.count > PromptTable.maximumCalls { calls.removeFirst() }
    }

    /// The start of a call whose request has come already.
    private mutating func name(_ hook: HookReading) {
        guard let id = hook.toolUseID, !prompts.contains(where: { $0.toolUseID == id }),
            let index = prompts.firstIndex(where: {
                $0.source == .call && $0.toolUseID == nil && $0.call == hook.call && $0.openedAt >= hook.time
            })
        else { return }
        prompts[index].toolUseID = id
        if let call = calls.firstIndex(where: { $0.toolUseID == id }) { calls[call].wasAsked = true }
    }

    private mutating func mark(_ agentID: String?, at time: Timestamp) {
        let agent = agentID ?? ""
        let former = marks.first { $0.agentID == agent }?.at
        marks.removeAll { $0.agentID == agent }
        marks.append(AgentMark(agentID: agent, at: max(former ?? time, time)))
        if marks.count > PromptTable.maximumMarks {
            marks.remove(at: marks.firstIndex { !$0.agentID.isEmpty } ?? 0)
        }
    }

    private func reason(_ hook: HookReading, _ prompt: OpenPrompt) -> WithdrawalReason? {
        if hook.endsToolCall, ends(hook, prompt) { return answer(hook, prompt) }
        guard prompt.openedAt <= hook.time else { return nil }
        let isSameAgent = prompt.call.agentID == hook.agentID
        switch hook.name {
        case .sessionEnd: return .sessionEnded
        case .sessionStart: return hook.detail == "compact" ? nil : .sessionEnded
        case .stop, .stopFailure, .userPromptSubmit: return isSameAgent ? .turnWentOn : nil
        case .postToolBatch:
            guard prompt.source != .elicitation else { return nil }
            return isSameAgent || prompt.source.isVague ? .answeredElsewhere : nil
        case .subagentStop: return isSameAgent || prompt.source.isVague ? .turnWentOn : nil
        case .preToolUse: return startsAnew(hook, prompt)
        case .permissionRequest: return isRefused(hook, prompt) ? .answeredElsewhere : nil
        case .elicitationResult:
            return prompt.source == .elicitation && prompt.isElicitation(hook.elicitationID) ? .answeredElsewhere : nil
        case .notification:
            let isAnswer = hook.detail == "elicitation_complete" || hook.detail == "elicitation_response"
            return isAnswer && prompt.source == .elicitation ? .answeredElsewhere : nil
        default: return nil
        }
    }

    /// Whether the result of a tool call answers the prompt.
    private func ends(_ hook: HookReading, _ prompt: OpenPrompt) -> Bool {
        switch prompt.source {
        case .dialog, .input: return prompt.openedAt <= hook.time
        case .idle, .elicitation: return false
        case .call: break
        }
        if let id = hook.toolUseID, let promptID = prompt.toolUseID { return id == promptID }
        guard prompt.call.agentID == hook.agentID, prompt.call.toolName == hook.toolName,
            prompt.openedAt <= hook.time
        else { return false }
        if prompt.call == hook.call { return true }
        // The person may have changed the input, so the only one that can be meant is.
        return prompts.count {
            $0.source == .call && $0.call.agentID == hook.agentID && $0.call.toolName == hook.toolName
        }
            == 1 && !calls.contains { $0.toolUseID == hook.toolUseID && $0.startedAt != nil }
    }

    /// A tool that ran at once was not asked about; its result comes later than that by its running time.
    private func answer(_ hook: HookReading, _ prompt: OpenPrompt) -> WithdrawalReason {
        guard hook.name != .permissionDenied else { return .answeredElsewhere }
        let began = hook.time.adding(seconds: -(hook.durationSeconds ?? 0))
        return began.seconds(since: prompt.openedAt) < 1.5 ? .autoApproved : .answeredElsewhere
    }

    /// The same is asked for again, after a refusal in the terminal.
    private func isRefused(_ hook: HookReading, _ prompt: OpenPrompt) -> Bool {
        prompt.source == .call && prompt.toolUseID == nil && prompt.call == hook.call
            && hook.time.seconds(since: prompt.openedAt) > PromptTable.repeatSeconds
    }

    private func startsAnew(_ hook: HookReading, _ prompt: OpenPrompt) -> WithdrawalReason? {
        switch prompt.source {
        case .idle: return hook.agentID == nil ? .turnWentOn : nil
        case .dialog, .input:
            let isLater = prompt.openedAt.adding(seconds: PromptTable.slackSeconds) < hook.time
            return hook.agentID == prompt.call.agentID && isLater ? .turnWentOn : nil
        case .call:
            // The same call once more: the first was refused in the terminal, which fires no hook.
            guard let id = hook.toolUseID, let promptID = prompt.toolUseID else { return nil }
            return id != promptID && prompt.call == hook.call ? .answeredElsewhere : nil
        case .elicitation: return nil
        }
    }
}

extension OpenPrompt.Source {
    /// It does not say which tool call it is about.
    fileprivate var isVague: Bool { self == .dialog || self == .input }
}
