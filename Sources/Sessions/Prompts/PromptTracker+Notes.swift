internal import EventModel

// State that a tracker keeps in addition to the prompts themselves.

extension PromptTracker {
    mutating func note(_ hook: HookEvent) {
        noteReceipt(hook)
        if hook.agentID == nil { noteActivity(hook) }
        switch hook.name {
        case .preToolUse:
            update(hook) { $0.startedAt = max($0.startedAt ?? hook.time, hook.time) }
            identify(hook)
        case .postToolUse, .postToolUseFailure, .permissionDenied:
            update(hook) { $0.endedAt = max($0.endedAt ?? hook.time, hook.time) }
        case .userPromptSubmit: if !hook.isInjectedPrompt { mark(hook.agentID, at: hook.time, isBeginning: true) }
        case .postToolBatch, .subagentStop, .stop, .stopFailure: mark(hook.agentID, at: hook.time)
        case .sessionEnd: sessionEndedAt = max(sessionEndedAt ?? hook.time, hook.time)
        case .sessionStart: if !hook.isCompaction { mark(nil, at: hook.time, isBeginning: true) }
        case .elicitationResult: elicitedAt = max(elicitedAt ?? hook.time, hook.time)
        default: break
        }
    }

    private mutating func noteReceipt(_ hook: HookEvent) {
        guard !hook.isStampedOnArrival, !hook.committed.event.isAheadOfServer else { return }
        let seconds = hook.receivedAt.seconds(since: hook.time)
        receiptSeconds = min(receiptSeconds ?? seconds, seconds)
    }

    private mutating func noteActivity(_ hook: HookEvent) {
        switch hook.name {
        case .userPromptSubmit, .preToolUse, .permissionRequest, .postToolUse, .postToolUseFailure, .permissionDenied,
            .postToolBatch:
            activeAt = max(activeAt ?? hook.time, hook.time)
        case .stop, .stopFailure, .sessionEnd: stoppedAt = max(stoppedAt ?? hook.time, hook.time)
        case .sessionStart: if !hook.isCompaction { stoppedAt = max(stoppedAt ?? hook.time, hook.time) }
        default: break
        }
    }

    private mutating func update(_ hook: HookEvent, _ change: (inout SeenCall) -> Void) {
        let index = calls.firstIndex { seen in
            if let id = hook.toolUseID, let seenID = seen.toolUseID { return id == seenID }
            return seen.key == hook.call
        }
        var call = index.map { calls.remove(at: $0) } ?? SeenCall(key: hook.call)
        call.toolUseID = call.toolUseID ?? hook.toolUseID
        change(&call)
        calls.append(call)
        if calls.count > PromptTracker.maximumCalls { calls.removeFirst() }
    }

    /// Remembers a request that names its call and arrived before the call's start. The start may follow an answer.
    mutating func noteAsked(_ request: HookEvent) {
        guard request.toolUseID != nil else { return }
        update(request) { $0.wasAsked = true }
    }

    /// The start of a call whose request has already arrived. A device may even have answered the request.
    private mutating func identify(_ hook: HookEvent) {
        guard let id = hook.toolUseID, !(open + settling).contains(where: { $0.callID == id }) else { return }
        if let index = open.firstIndex(where: { $0.isOfCall(startedBy: hook) }) {
            open[index].callID = id
        } else if let index = settling.firstIndex(where: { $0.isOfCall(startedBy: hook) }) {
            settling[index].callID = id
        } else {
            return
        }
        if let call = calls.firstIndex(where: { $0.toolUseID == id }) { calls[call].wasAsked = true }
    }

    private mutating func mark(_ agentID: String?, at time: Timestamp, isBeginning: Bool = false) {
        var mark = AgentMark(agentID: agentID ?? "", at: time, isBeginning: isBeginning)
        if let index = marks.firstIndex(where: { $0.agentID == mark.agentID }) {
            let former = marks.remove(at: index)
            if former.at > time { mark = former }
        }
        marks.append(mark)
        if marks.count > PromptTracker.maximumMarks {
            marks.remove(at: marks.firstIndex { !$0.agentID.isEmpty } ?? 0)
        }
    }
}

extension Prompt {
    fileprivate func isOfCall(startedBy hook: HookEvent) -> Bool {
        source == .call && callID == nil && call == hook.call && openedAt >= hook.time
    }
}
