public import EventModel

/// A request of a session to a person, from the event that opened it to the event that ended it.
public struct Prompt: Sendable, Equatable {
    public enum Kind: String, Sendable, CaseIterable {
        case permission
        case question
        case plan
        case elicitation
        case input
    }

    public enum State: String, Sendable, CaseIterable {
        case open
        /// A person or a rule decided it.
        case answered
        /// The session continued, and the answer is unknown.
        case overtaken
        /// Denied because nobody answered in time.
        case expired
        /// The session ended.
        case gone
    }

    /// The kind of event that revealed the prompt.
    public enum Source: String, Sendable, CaseIterable {
        /// A tool call that asks for permission, or that is itself a question.
        case call
        /// A notification of a permission dialog, without the request itself.
        case dialog
        case elicitation
        /// A notification that an agent needs input.
        case input
        /// A notification that the turn has ended and no input has followed for a while.
        case idle
    }

    public enum Answerer: String, Sendable, CaseIterable {
        case terminal
        case rule
        case device
        case timeout
        case `operator`
    }

    public enum Decision: String, Sendable, CaseIterable {
        case allow
        case deny
    }

    /// The event that opened it.
    public let openedBy: EventID
    /// The opening event's log position.
    public let openingSeq: Int64
    /// On the session's own clock.
    public let openedAt: Timestamp
    public let sessionID: String
    public let machine: MachineID
    public internal(set) var workspaceID: String?
    public let kind: Kind
    public internal(set) var source: Source
    /// `nil` for the main agent.
    public internal(set) var agentID: String?
    public internal(set) var toolName: String?
    /// The prompt's id for clients: Claude's id of the call if it was known at opening, otherwise `id`. It never
    /// changes.
    public private(set) var toolUseID: String
    /// Claude's id of the call. It may become known after the opening.
    public internal(set) var callID: String?
    var inputHash: UInt64?
    /// The id of an elicitation.
    var elicitationID: String?
    /// Each text is one line of at most 400 bytes.
    public internal(set) var title: String
    public internal(set) var detail: String
    /// Whether `detail` is the whole of what is asked: every member that has an effect, every byte, nothing masked.
    public internal(set) var isDetailComplete = false
    public internal(set) var question: String?

    public internal(set) var state = State.open
    public internal(set) var closedAt: Timestamp?
    /// The event that shows how the prompt ended. `nil` while the prompt is open, and also if newer prompts displaced
    /// it.
    public internal(set) var evidence: EventID?
    public internal(set) var answeredBy: Answerer?
    public internal(set) var decision: Decision?

    /// What the call can do. If the machine's own hook waits for an answer, the hook's judgement counts.
    public internal(set) var risk: ToolRisk?
    /// The permission request for this prompt, if another event opened the prompt.
    public internal(set) var requestedBy: EventID?
    /// The answer of a device or the operator that counts.
    public internal(set) var answer: PromptAnswer?
    /// Answers that came too late or were overruled in the terminal, at most `maximumLateAnswers`.
    public internal(set) var lateAnswers: [PromptAnswer] = []
    /// What happened after the opening, in log order. Beyond `maximumSteps`, devices add only that they read the whole
    /// request.
    public internal(set) var steps: [PromptStep] = []
    /// The last phase that an event of the log has reported to clients.
    public internal(set) var announced = Phase.none

    public static let maximumSteps = 40
    public static let maximumLateAnswers = 8

    /// The phases that the log reports to clients, each with one event.
    public enum Phase: Int64, Sendable, Comparable {
        case none
        case opened
        case closed
        /// It is known whether the answer was applied.
        case settled

        public static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
    }

    public var phase: Phase {
        guard state != .open else { return .opened }
        return steps.contains { $0.name == PromptStep.applied || $0.name == PromptStep.late } ? .settled : .closed
    }

    /// `prm_` and the opening event's id as 32 hexadecimal digits.
    public var id: String { Prompt.id(openedBy) }

    /// Whether the session waits for the answer. A session that is only idle does not.
    public var isWaitedFor: Bool { state == .open && source != .idle }

    /// Whether a person refused, which ends the turn of the agent that asked.
    var isRefusedAtTerminal: Bool {
        answeredBy == .terminal && decision == .deny && [.permission, .question, .plan].contains(kind)
    }

    /// The prompt with the id by which clients know it, if its tracker has not seen the start of the call.
    public func named(_ toolUseID: String) -> Prompt {
        var prompt = self
        prompt.toolUseID = toolUseID
        return prompt
    }

    public static func id(_ event: EventID) -> String { "prm_" + event.description.filter { $0 != "-" } }
}

/// A change that an event made to the prompts of its session.
public enum PromptChange: Sendable, Equatable {
    case opened(Prompt)
    /// The prompt's dialog is shown to a person.
    case confirmed(Prompt)
    case closed(Prompt)
    /// The prompt's steps or answer changed, but not whether it is open.
    case updated(Prompt)

    public func mapPrompt(_ change: (Prompt) -> Prompt) -> PromptChange {
        switch self {
        case .opened(let prompt): .opened(change(prompt))
        case .confirmed(let prompt): .confirmed(change(prompt))
        case .closed(let prompt): .closed(change(prompt))
        case .updated(let prompt): .updated(change(prompt))
        }
    }
}

extension [PromptChange] {
    public var opened: Prompt? {
        for case .opened(let prompt) in self { return prompt }
        return nil
    }

    public var closed: [Prompt] {
        compactMap { change in
            guard case .closed(let prompt) = change else { return nil }
            return prompt
        }
    }

    /// The prompts that are not open after the event and whose rows it changed.
    public var settled: [Prompt] {
        compactMap { change in
            switch change {
            case .closed(let prompt): prompt
            case .updated(let prompt) where prompt.state != .open: prompt
            default: nil
            }
        }
    }
}
