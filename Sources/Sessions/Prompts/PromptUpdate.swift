public import EventModel
internal import JSON

/// An event of the server's own about a prompt: what happened to it beside what hooks report.
///
/// Machines cannot post these types, so the payload is the server's.
public struct PromptUpdate: Sendable, Equatable {
    public enum Step: String, Sendable, CaseIterable {
        /// A hook waits for an answer.
        case held
        /// The hook stopped waiting. The terminal's dialog may still be open.
        case released
        /// A push service has accepted it for a device.
        case pushed
        /// A device's socket has taken it.
        case delivered
        /// Shown on a device.
        case seen
        case answered
        /// An answer that was not the first, or came after the prompt's end.
        case late
        /// A person refused at the terminal.
        case withdrawn
        /// A person answered at the terminal. It is not known how.
        case dismissed
        /// The process of Claude Code has gone.
        case gone
        /// Denied by the machine's own rule, because nobody answered.
        case expired
        /// The hook did not print a device's answer, because the machine's own rules do not allow it.
        case refused
        /// A hook took a refusal that ends a subagent's work. Claude Code runs no hook for that.
        case interrupted
        /// An announcement of the prompt's phase; it changes nothing else.
        case announced
    }

    public var promptID: String
    public var step: Step
    /// What an announcement tells; otherwise `none`.
    public var phase: Prompt.Phase
    /// On the server's clock.
    public var at: Timestamp
    public var deviceID: String?
    public var answer: PromptAnswer?
    public var risk: ToolRisk?
    public var eventID: EventID

    /// Returns `nil` for other events.
    public init?(_ committed: CommittedEvent) {
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
    public func applied(to prompt: Prompt) -> Prompt? {
        var prompt = prompt
        let before = prompt
        switch step {
        case .announced: prompt.announced = max(prompt.announced, phase)
        case .held, .released:
            guard prompt.state == .open else { return nil }
            prompt.risk = risk ?? prompt.risk
            prompt.add(PromptStep(step.rawValue, at: at, deviceID: deviceID, evidence: eventID))
        case .pushed, .delivered, .seen:
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
    /// A hook waited for an answer.
    public var wasHeld: Bool { steps.contains { $0.name == PromptUpdate.Step.held.rawValue } }
    /// A hook waits, by what the log says.
    public var isHeld: Bool {
        let waits = [PromptUpdate.Step.held, .released].map(\.rawValue)
        return steps.last { waits.contains($0.name) }?.name == PromptUpdate.Step.held.rawValue
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

    /// A person refused at the terminal. An answer that Claude Code has not acted on is overruled.
    fileprivate mutating func withdraw(at time: Timestamp, evidence: EventID) {
        guard state == .open else {
            if answer != nil, answer?.outcome == nil { overrule(.deny, at: time, evidence: evidence) }
            return
        }
        self = closed(.answered(by: .terminal, .deny), at: time, evidence: evidence)
    }

    /// A person answered at the terminal. The next events of the call show how.
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
