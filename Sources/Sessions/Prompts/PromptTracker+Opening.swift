internal import EventModel

extension PromptTracker {
    /// Returns the prompt if the event opens one that is not known yet.
    mutating func prompt(openedBy hook: HookEvent) -> Prompt? {
        switch hook.name {
        case .permissionRequest: openedCall(hook)
        case .preToolUse: hook.isQuestionTool ? openedCall(hook) : nil
        case .elicitation: openedElicitation(hook)
        case .notification: openedByNotification(hook)
        default: nil
        }
    }

    private mutating func openedCall(_ hook: HookEvent) -> Prompt? {
        // If that call is a different one, the start of this request's call has not arrived.
        let index = latestCall(hook).flatMap { isFormer(calls[$0], to: hook) ? nil : $0 }
        let seen = index.map { calls[$0] }
        let callID = hook.toolUseID ?? seen?.toolUseID
        if seen?.wasAsked ?? false, callID != nil {
            note(request: hook, of: open.firstIndex { $0.callID == callID })
            return nil
        }
        guard !isLate(hook, seen) else { return nil }
        if let index { calls[index].wasAsked = true }
        if let known = open.firstIndex(where: { $0.isAsked(again: hook, callID) }) {
            open[known].callID = open[known].callID ?? callID
            note(request: hook, of: known)
            return nil
        }
        let kind = Prompt.Kind(toolName: hook.toolName)
        if let known = open.firstIndex(where: { $0.source == .dialog && $0.announces(hook, kind) }) {
            // The dialog's notification arrived before its request.
            open[known].identify(by: hook, callID: callID)
            note(request: hook, of: known)
            return nil
        }
        if index == nil { noteAsked(hook) }
        return Prompt(hook, .call, kind, callID: callID)
    }

    /// Remembers the request whose hook can be answered, if another event opened the prompt.
    private mutating func note(request hook: HookEvent, of index: Int?) {
        guard let index, hook.name == .permissionRequest || hook.name == .elicitation else { return }
        open[index].requestedBy = hook.eventID
        open[index].risk = open[index].risk ?? hook.committed.event.facts.risk
    }

    /// The last call that started before the request. Prefers a call without a prompt that may still run.
    private func latestCall(_ hook: HookEvent) -> Int? {
        if let id = hook.toolUseID { return calls.firstIndex { $0.toolUseID == id } }
        let mark = self.mark(of: hook.agentID)?.at ?? .distantPast
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

    /// Whether the request is about a later call with the same input. This is the case if this call or its prompt ended
    /// before the request.
    private func isFormer(_ call: SeenCall, to request: HookEvent) -> Bool {
        if call.isOver, let endedAt = call.endedAt,
            endedAt.adding(seconds: PromptTracker.slackSeconds) < request.time
        {
            return true
        }
        // A request that was stamped on arrival may have been made before or after the answer.
        guard request.toolUseID == nil, call.wasAsked, !request.isStampedOnArrival,
            !open.contains(where: { $0.callID == call.toolUseID })
        else { return false }
        if let answeredAt, answeredAt < request.time { return true }
        guard let decidedAt, let receiptSeconds else { return false }
        return decidedAt.adding(seconds: -receiptSeconds) <= request.time
    }

    /// Whether the call, the turn or the session of the request has ended.
    private func isLate(_ hook: HookEvent, _ seen: SeenCall?) -> Bool {
        if let seen, seen.isOver { return true }
        guard let mark = mark(of: hook.agentID) else { return false }
        if mark.isAfter(hook.time) { return true }
        // The machine's clock decides the order. The order of arrival says little about hooks that ran together.
        guard hook.isStampedOnArrival else { return false }
        let began = hook.name == .preToolUse ? hook.time : seen?.startedAt ?? .distantPast
        return !mark.isBeginning && began <= mark.at
            && mark.at.adding(seconds: PromptTracker.slackSeconds) >= hook.time
    }

    private mutating func openedElicitation(_ hook: HookEvent) -> Prompt? {
        let id = hook.details.elicitationID
        if let index = open.firstIndex(where: { $0.isElicitation(id) }) {
            open[index].elicitationID = id
            note(request: hook, of: index)
            return nil
        }
        guard elicitedAt.map({ $0 < hook.time }) ?? true, !(mark(of: hook.agentID)?.isAfter(hook.time) ?? false)
        else { return nil }
        return Prompt(hook, .elicitation, .elicitation)
    }

    private func openedByNotification(_ hook: HookEvent) -> Prompt? {
        let isStale = mark(of: nil)?.isAfter(hook.time) ?? false
        // The dialog closed before its notification arrived.
        let isDecided = decidedAt.map { isJust(hook.receivedAt, after: $0) } ?? false
        switch hook.detail {
        case "permission_prompt", "worker_permission_prompt":
            let isKnown = open.contains { $0.source == .call || $0.source == .dialog }
            return isStale || isKnown || isDecided || isAbout(hook, answeredAt)
                ? nil : Prompt(hook, .dialog, .permission)
        case "agent_needs_input":
            let isKnown = open.contains { $0.kind != .permission && $0.source != .idle }
            return isStale || isKnown ? nil : Prompt(hook, .input, .input)
        case "elicitation_dialog", "elicitation_url_dialog":
            let isKnown = open.contains { $0.source == .elicitation }
            return isStale || isKnown || isDecided || isAbout(hook, elicitedAt)
                ? nil : Prompt(hook, .elicitation, .elicitation)
        case "idle_prompt": return open.isEmpty && !isBusy(at: hook.time) ? Prompt(hook, .idle, .input) : nil
        default: return nil
        }
    }

    /// Whether the notification belongs to a dialog that was answered at this time.
    private func isAbout(_ hook: HookEvent, _ answeredAt: Timestamp?) -> Bool {
        answeredAt.map { isSoon(hook.time, after: $0) } ?? false
    }

    /// Both times are the server's. If its clock was set back in between, the time is long before the end.
    private func isJust(_ time: Timestamp, after end: Timestamp) -> Bool {
        isSoon(time, after: end) && time.adding(seconds: PromptTracker.dialogDelaySeconds) >= end
    }

    private func isSoon(_ time: Timestamp, after end: Timestamp) -> Bool {
        end.adding(seconds: PromptTracker.dialogDelaySeconds) >= time
    }
}

extension Prompt {
    /// Two calls with the same input are distinct if both have ids and these differ, or if they are apart in time.
    fileprivate func isAsked(again request: HookEvent, _ otherID: String?) -> Bool {
        guard source == .call else { return false }
        if let callID, let otherID { return callID == otherID }
        return call == request.call && abs(request.time.seconds(since: openedAt)) <= PromptTracker.repeatSeconds
    }

    fileprivate func announces(_ request: HookEvent, _ kind: Kind) -> Bool {
        kind == self.kind && request.time <= openedAt.adding(seconds: PromptTracker.slackSeconds)
    }
}
