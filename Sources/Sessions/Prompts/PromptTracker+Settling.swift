internal import EventModel

extension PromptTracker {
    /// Call for each update of the session's prompts, in log order.
    ///
    /// - Returns: empty if the prompt is neither open nor settling, or the update does not change it.
    public mutating func take(_ update: PromptUpdate) -> [PromptChange] {
        if let index = open.firstIndex(where: { $0.id == update.promptID }) {
            guard let prompt = update.applied(to: open[index]) else { return [] }
            guard prompt.state != .open else {
                open[index] = prompt
                return [.updated(prompt)]
            }
            open.remove(at: index)
            if prompt.answer != nil {
                settling.append(prompt)
                if settling.count > PromptTracker.maximumSettling { settling.removeFirst() }
            }
            return [.closed(prompt)]
        }
        guard let index = settling.firstIndex(where: { $0.id == update.promptID }),
            let prompt = update.applied(to: settling[index])
        else { return [] }
        settling[index] = prompt
        if prompt.answer == nil { settling.remove(at: index) }
        return [.updated(prompt)]
    }

    /// A person ended the main agent's turn.
    mutating func interrupt(at time: Timestamp, evidence: EventID) -> [Prompt] {
        close(.overtaken, at: time, evidence: evidence) { $0.agentID == nil }
    }

    /// The session's process has ended.
    mutating func abandon(at time: Timestamp, evidence: EventID) -> [Prompt] {
        close(.gone, at: time, evidence: evidence) { _ in true }
    }

    private mutating func close(
        _ end: PromptEnd,
        at time: Timestamp,
        evidence: EventID,
        where isConcerned: (Prompt) -> Bool
    ) -> [Prompt] {
        let closed = open.filter { isConcerned($0) && $0.openedAt <= time }
            .map { $0.closed(end, at: time, evidence: evidence) }
        open.removeAll { prompt in closed.contains { $0.openedBy == prompt.openedBy } }
        return closed
    }

    /// Whether the tracker still follows the prompt.
    public func follows(_ promptID: String) -> Bool {
        open.contains { $0.id == promptID } || settling.contains { $0.id == promptID }
    }

    /// What the event shows about answers that were given: that Claude Code acted on them, or on another.
    mutating func settle(_ hook: HookEvent) -> [Prompt] {
        guard !settling.isEmpty else { return [] }
        var changed: [Prompt] = []
        for prompt in settling {
            guard let verdict = verdict(on: prompt, by: hook) else { continue }
            var prompt = prompt
            switch verdict {
            case .applied: prompt.wasApplied(at: hook.time, evidence: hook.eventID)
            case .overruled(let decision, let answerer):
                prompt.overrule(decision, by: answerer, at: hook.time, evidence: hook.eventID)
            }
            changed.append(prompt)
        }
        settling.removeAll { prompt in changed.contains { $0.openedBy == prompt.openedBy } }
        return changed
    }

    private enum Verdict {
        case applied
        case overruled(Prompt.Decision?, Prompt.Answerer)
    }

    private func verdict(on prompt: Prompt, by hook: HookEvent) -> Verdict? {
        guard prompt.openedAt <= hook.time else { return nil }
        if prompt.kind == .elicitation { return verdict(onElicitation: prompt, by: hook) }
        let isAllowed = prompt.decision == .allow
        if hook.endsToolCall, isResult(hook, of: prompt) {
            if hook.name == .permissionDenied { return isAllowed ? .overruled(.deny, .rule) : .applied }
            return isAllowed ? .applied : .overruled(.allow, .terminal)
        }
        guard ends(hook, turnOf: prompt) else { return nil }
        // The turn went on without a result of the call: it did not run.
        return isAllowed ? .overruled(nil, .terminal) : .applied
    }

    private func verdict(onElicitation prompt: Prompt, by hook: HookEvent) -> Verdict? {
        if hook.name == .elicitationResult, prompt.isElicitation(hook.details.elicitationID) {
            return .overruled(nil, .terminal)
        }
        let isSameAgent = hook.agentID == prompt.agentID
        return isSameAgent && (hook.endsToolCall || ends(hook, turnOf: prompt)) ? .applied : nil
    }

    /// The person may have changed the input, so a result of the tool counts if it can belong to no other prompt.
    private func isResult(_ hook: HookEvent, of prompt: Prompt) -> Bool {
        if let id = hook.toolUseID, let callID = prompt.callID { return id == callID }
        guard prompt.agentID == hook.agentID, prompt.toolName == hook.toolName else { return false }
        if prompt.call == hook.call { return true }
        let others = (settling + open).filter { $0.agentID == hook.agentID && $0.toolName == hook.toolName }
        return others.count == 1 && !calls.contains { $0.toolUseID == hook.toolUseID && $0.startedAt != nil }
    }

    private func ends(_ hook: HookEvent, turnOf prompt: Prompt) -> Bool {
        switch hook.name {
        case .sessionEnd: true
        case .sessionStart: !hook.isCompaction
        case .userPromptSubmit: hook.agentID == prompt.agentID && !hook.isInjectedPrompt
        case .stop, .stopFailure, .postToolBatch, .subagentStop: hook.agentID == prompt.agentID
        default: false
        }
    }
}
