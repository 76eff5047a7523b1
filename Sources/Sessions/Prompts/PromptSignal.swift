package import EventModel

/// An event of the log that does not come from a hook and changes the prompts of its session.
package enum PromptSignal: Sendable, Equatable {
    case update(PromptUpdate)
    /// A person ended the main agent's turn, which no hook reports. If that was a No or Esc at a dialog or a running
    /// tool, `isRefusal` is true.
    case interrupted(at: Timestamp, isRefusal: Bool, evidence: EventID)
    /// The session's process ended without reporting its end.
    case gone(at: Timestamp, evidence: EventID)

    /// Telemetry reports that a tool call was refused. No hook reports a refusal at the terminal. `by` is
    /// `user_reject`, `user_abort`, `config` or `hook`.
    case refused(toolUseID: String, by: String, at: Timestamp, evidence: EventID)

    /// Returns `nil` for other events.
    package init?(_ committed: CommittedEvent) {
        let event = committed.event
        guard event.hookEventName == nil else { return nil }
        switch event.type {
        case .sessionInterrupted:
            let isRefusal = event.facts.detail == MonitorEvent.interruptedForTool
            self = .interrupted(at: event.sessionTime, isRefusal: isRefusal, evidence: event.id)
        case .sessionGone: self = .gone(at: event.sessionTime, evidence: event.id)
        case .telemetry:
            guard let refuser = event.facts.report?.refusedBy, let call = event.facts.toolUseID else { return nil }
            self = .refused(toolUseID: call, by: refuser, at: event.sessionTime, evidence: event.id)
        default:
            guard let update = PromptUpdate(committed) else { return nil }
            self = .update(update)
        }
    }

    /// - Parameter time: the time of the event by the session's clock.
    package mutating func setTime(_ time: Timestamp) {
        switch self {
        case .update: break
        case .interrupted(_, let isRefusal, let evidence):
            self = .interrupted(at: time, isRefusal: isRefusal, evidence: evidence)
        case .gone(_, let evidence): self = .gone(at: time, evidence: evidence)
        case .refused(let call, let refuser, _, let evidence):
            self = .refused(toolUseID: call, by: refuser, at: time, evidence: evidence)
        }
    }
}

extension PromptTracker {
    /// Processes a signal. Must be called for each signal of the session, in log order.
    ///
    /// - Returns: empty if the signal changes no prompt that is open or settling.
    package mutating func take(_ signal: PromptSignal) -> [PromptChange] {
        switch signal {
        case .update(let update): take(update)
        case .interrupted(let time, let isRefusal, let evidence):
            end(at: time, isRefusal: isRefusal, evidence: evidence)
        case .gone(let time, let evidence):
            close(.gone, at: time, evidence: evidence) { _ in true }.map(PromptChange.closed)
        case .refused(let call, let refuser, let time, let evidence):
            refuse(call, by: refuser.hasPrefix("user_") ? .terminal : .rule, at: time, evidence: evidence)
                .map(PromptChange.closed)
        }
    }

    /// The turn has ended without a result of the main agent's calls that a device refused: they did not run.
    private mutating func settleRefusals(at time: Timestamp, evidence: EventID) -> [Prompt] {
        let isOver: (Prompt) -> Bool = {
            $0.agentID == nil && $0.unknown == .outcome && $0.decision == .deny && $0.openedAt <= time
        }
        var refused = settling.filter(isOver)
        settling.removeAll(where: isOver)
        for index in refused.indices { refused[index].wasApplied(at: time, evidence: evidence) }
        return refused
    }

    /// The main agent's turn has ended. A No or Esc is an answer if one dialog is open and no device's refusal can have
    /// ended the turn.
    private mutating func end(at time: Timestamp, isRefusal: Bool, evidence: EventID) -> [PromptChange] {
        let settled = settleRefusals(at: time, evidence: evidence)
        let asked = open.filter { $0.agentID == nil && $0.openedAt <= time && $0.source != .idle }
        let isAnswer = isRefusal && settled.isEmpty && asked.count == 1
        let ended = close(.overtaken, at: time, evidence: evidence) {
            $0.agentID == nil && !(isAnswer && $0.isRefusable)
        }
        let refused = close(.answered(by: .terminal, .deny), at: time, evidence: evidence) { $0.agentID == nil }
        return settled.map(PromptChange.updated) + (ended + refused).map(PromptChange.closed)
    }

    private mutating func refuse(
        _ toolUseID: String,
        by answerer: Prompt.Answerer,
        at time: Timestamp,
        evidence: EventID
    ) -> [Prompt] {
        let call = calls.last { $0.toolUseID == toolUseID }?.key
        return close(.answered(by: answerer, .deny), at: time, evidence: evidence) { prompt in
            guard prompt.source == .call else { return false }
            return prompt.callID.map { $0 == toolUseID } ?? (call != nil && prompt.call == call)
        }
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
}

extension Prompt {
    /// Whether a No or Esc at its dialog refuses a call that is known.
    fileprivate var isRefusable: Bool { source == .call && (kind == .permission || kind == .plan) }
}
