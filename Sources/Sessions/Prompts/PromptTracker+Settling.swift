internal import EventModel

extension PromptTracker {
    /// - Returns: empty if the prompt is neither open nor settling, or the update does not change it.
    mutating func take(_ update: PromptUpdate) -> [PromptChange] {
        // A person was asked, however soon the tool ran.
        if update.step == .dismissed { isAutomatic = false }
        if let index = open.firstIndex(where: { $0.id == update.promptID }) {
            guard let prompt = update.applied(to: open[index]) else { return [] }
            guard prompt.state != .open else {
                open[index] = prompt
                return [.updated(prompt)]
            }
            open.remove(at: index)
            decidedAt = update.at
            follow(prompt)
            return [.closed(prompt)]
        }
        guard let index = settling.firstIndex(where: { $0.id == update.promptID }),
            let prompt = update.applied(to: settling[index])
        else { return [] }
        settling.remove(at: index)
        follow(prompt)
        return [.updated(prompt)]
    }

    /// Waits for what later events show about the closed prompt, if they can show anything.
    private mutating func follow(_ prompt: Prompt) {
        guard prompt.unknown != nil else { return }
        settling.append(prompt)
        guard settling.count > PromptTracker.maximumSettling else { return }
        settling.remove(at: settling.firstIndex { $0.answer == nil } ?? 0)
    }

    /// Whether the tracker still follows the prompt.
    package func follows(_ promptID: String) -> Bool {
        open.contains { $0.id == promptID } || settling.contains { $0.id == promptID }
    }

    /// What the event shows about answers that were given: that Claude Code acted on them or on another, or what the
    /// terminal's was.
    mutating func settle(_ hook: HookEvent) -> [Prompt] {
        guard !settling.isEmpty else { return [] }
        var changed: [Prompt] = []
        for prompt in settling {
            guard let verdict = verdict(on: prompt, by: hook) else { continue }
            var prompt = prompt
            switch verdict {
            case .decided(let decision): prompt.wasDecided(decision, at: hook.time, evidence: hook.eventID)
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
        /// What the terminal's answer was.
        case decided(Prompt.Decision)
        case overruled(Prompt.Decision?, Prompt.Answerer)
    }

    private func verdict(on prompt: Prompt, by hook: HookEvent) -> Verdict? {
        guard prompt.openedAt <= hook.time, let unknown = prompt.unknown else { return nil }
        if unknown == .decision { return verdict(onDismissed: prompt, by: hook) }
        if prompt.kind == .elicitation { return verdict(onElicitation: prompt, by: hook) }
        let isAllowed = prompt.decision == .allow
        if hook.endsToolCall, isResult(hook, of: prompt) {
            if hook.name == .permissionDenied { return isAllowed ? .overruled(.deny, .rule) : .applied }
            return isAllowed ? .applied : .overruled(.allow, .terminal)
        }
        guard ends(hook, turnOf: prompt) else { return nil }
        // The turn continued without a result of the call, so the call did not run.
        return isAllowed ? .overruled(nil, .terminal) : .applied
    }

    /// A turn that ends without the call's result may have been interrupted after the call was allowed.
    private func verdict(onDismissed prompt: Prompt, by hook: HookEvent) -> Verdict? {
        if hook.endsToolCall, isResult(hook, of: prompt) {
            return .decided(hook.name == .permissionDenied ? .deny : .allow)
        }
        return hook.name == .postToolBatch && hook.agentID == prompt.agentID ? .decided(.deny) : nil
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
