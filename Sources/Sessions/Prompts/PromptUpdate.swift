package import EventModel
internal import JSON

/// An event that the server itself creates about a prompt. It records what hooks do not report.
///
/// Machines cannot post these types, so the payload always comes from the server.
package struct PromptUpdate: Sendable, Equatable {
    package enum Step: String, Sendable, CaseIterable {
        /// A hook waits for an answer.
        case held
        /// The hook stopped waiting. The terminal's dialog may still be open.
        case released
        /// A push service has accepted a push of the prompt for a device.
        case pushed
        /// A device's socket has accepted the prompt.
        case delivered
        /// The prompt was shown on a device.
        case seen
        /// A device read the prompt with nothing masked.
        case revealed
        case answered
        /// An answer that was not the first, or came after the prompt's end.
        case late
        /// A person refused at the terminal.
        case withdrawn
        /// A person answered at the terminal. The answer is not known.
        case dismissed
        /// The process of Claude Code is gone.
        case gone
        /// Denied by the machine's own rule, because nobody answered.
        case expired
        /// The hook did not print a device's answer, because the machine's own rules do not allow it.
        case refused
        /// A hook received a refusal that ends a subagent's work. Claude Code runs no hook for this end.
        case interrupted
        /// The update announces the prompt's phase and changes nothing else.
        case announced
    }

    package var promptID: String
    package var step: Step
    /// The phase that an announcement reports; otherwise `none`.
    package var phase: Prompt.Phase
    /// On the server's clock.
    package var at: Timestamp
    package var deviceID: String?
    package var answer: PromptAnswer?
    package var risk: ToolRisk?
    package var eventID: EventID

    /// Returns `nil` for other events.
    package init?(_ committed: CommittedEvent) {
        let event = committed.event
        guard event.hookEventName == nil, EventType.ofPrompts.contains(event.type),
            let payload = try? JSONValue.parse(event.payload), let id = payload["prompt_id"]?.string,
            let step = payload["step"]?.string
        else { return nil }
        promptID = id
        phase = payload["phase"]?.integer.flatMap(Prompt.Phase.init(rawValue:)) ?? .none
        self.step = phase == .none ? Step(rawValue: step) ?? .announced : .announced
        at = event.timestamp
        deviceID = payload["device_id"]?.string
        answer = payload["answer"].flatMap { PromptAnswer(stored: $0) }
        risk = payload["risk"]?.string.flatMap(ToolRisk.init(rawValue:))
        eventID = event.id
    }
}

extension PromptUpdate {
    /// - Returns: `nil` if the update does not change the prompt.
    package func applied(to prompt: Prompt) -> Prompt? {
        var prompt = prompt
        let before = prompt
        switch step {
        case .announced: prompt.announced = max(prompt.announced, phase)
        case .held, .released:
            guard prompt.state == .open else { return nil }
            prompt.risk = risk ?? prompt.risk
            prompt.add(PromptStep(step.rawValue, at: at, deviceID: deviceID, evidence: eventID))
        case .pushed, .delivered, .seen, .revealed:
            prompt.add(PromptStep(step.rawValue, at: at, deviceID: deviceID, evidence: eventID))
        case .late: if let answer { prompt.addLate(answer) }
        case .answered: answer.map { prompt.take($0, eventID) }
        case .withdrawn: prompt.withdraw(at: at, evidence: eventID)
        case .dismissed: prompt.dismiss(at: at, evidence: eventID)
        case .gone: if prompt.state == .open { prompt = prompt.closed(.gone, at: at, evidence: eventID) }
        case .refused: if prompt.answer != nil { prompt.overrule(nil, by: .rule, at: at, evidence: eventID) }
        case .interrupted:
            if prompt.unknown == .outcome, prompt.decision == .deny { prompt.wasApplied(at: at, evidence: eventID) }
        case .expired: if prompt.state == .open { prompt = prompt.closed(.expired, at: at, evidence: eventID) }
        }
        return prompt == before ? nil : prompt
    }
}

extension Prompt {
    /// Whether a hook has waited for an answer.
    package var wasHeld: Bool { steps.contains { $0.name == PromptUpdate.Step.held.rawValue } }
    /// Whether no hook is waiting any more, according to the log.
    package var isReleased: Bool { wasHeld && !isHeld }
    /// Whether a hook is waiting, according to the log.
    package var isHeld: Bool {
        let waits = [PromptUpdate.Step.held, .released].map(\.rawValue)
        return steps.last { waits.contains($0.name) }?.name == PromptUpdate.Step.held.rawValue
    }

    /// - Parameter deviceID: `nil` for the operator.
    package func isRevealed(to deviceID: String?) -> Bool {
        steps.contains { $0.name == PromptUpdate.Step.revealed.rawValue && $0.deviceID == deviceID }
    }

    fileprivate mutating func take(_ answer: PromptAnswer, _ event: EventID) {
        guard state == .open else {
            if self.answer?.id != answer.id { addLate(answer) }
            return
        }
        self = closed(.answered(by: answer.answerer, answer.decision), at: answer.at, evidence: event)
        steps[steps.count - 1].deviceID = answer.deviceID
        self.answer = answer
    }

    /// Records that a person refused at the terminal. An answer that Claude Code has not acted on is overruled. The
    /// session's next event may have arrived first, and then the prompt is overtaken.
    fileprivate mutating func withdraw(at time: Timestamp, evidence: EventID) {
        switch state {
        case .open: self = closed(.answered(by: .terminal, .deny), at: time, evidence: evidence)
        case .overtaken: (state, answeredBy, decision) = (.answered, .terminal, .deny)
        case .answered: if answer != nil, answer?.outcome == nil { overrule(.deny, at: time, evidence: evidence) }
        case .expired, .gone: break
        }
    }

    /// Records that a person answered at the terminal. The next events of the call show the answer.
    fileprivate mutating func dismiss(at time: Timestamp, evidence: EventID) {
        switch state {
        case .open: self = closed(.answered(by: .terminal), at: time, evidence: evidence)
        case .overtaken: (state, answeredBy, decision) = (.answered, .terminal, kind == .question ? nil : .deny)
        case .answered where answer == nil:
            if answeredBy == .rule { answeredBy = .terminal }
        case .answered: if answer?.outcome == nil { overrule(nil, at: time, evidence: evidence) }
        case .expired, .gone: break
        }
    }

    /// What the next event of the call shows about the terminal's answer.
    mutating func wasDecided(_ decision: Decision, at time: Timestamp, evidence: EventID) {
        self.decision = decision
        add(PromptStep(PromptStep.applied, at: time, evidence: evidence))
    }

    /// What later events may show about a closed prompt.
    enum Unknown { case outcome, decision }

    var unknown: Unknown? {
        guard state == .answered else { return nil }
        if let answer { return answer.outcome == nil ? .outcome : nil }
        let isOfCall = source == .call && kind != .question
        return answeredBy == .terminal && decision == nil && isOfCall ? .decision : nil
    }

    /// The terminal had answered before the device's answer arrived.
    mutating func overrule(
        _ decision: Decision?,
        by answerer: Answerer = .terminal,
        at time: Timestamp,
        evidence: EventID
    ) {
        guard let answer else { return }
        addLate(answer)
        self.answer = nil
        (answeredBy, self.decision) = (answerer, decision)
        add(PromptStep(PromptStep.late, at: time, evidence: evidence))
    }

    mutating func wasApplied(at time: Timestamp, evidence: EventID) {
        answer?.outcome = .applied
        add(PromptStep(PromptStep.applied, at: time, evidence: evidence))
    }
}
