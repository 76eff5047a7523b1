package import EventModel

/// A request of a session to a person, from the event that opened it to the event that ended it.
package struct Prompt: Sendable, Equatable {
    package enum Kind: String, Sendable, CaseIterable {
        case permission
        case question
        case plan
        case elicitation
        case input
    }

    package enum State: String, Sendable, CaseIterable {
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
    package enum Source: String, Sendable, CaseIterable {
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

    package enum Answerer: String, Sendable, CaseIterable {
        case terminal
        case rule
        case device
        case timeout
        case `operator`
    }

    package enum Decision: String, Sendable, CaseIterable {
        case allow
        case deny
    }

    /// The event that opened it.
    package let openedBy: EventID
    /// The opening event's log position.
    package let openingSeq: Int64
    /// On the session's own clock.
    package let openedAt: Timestamp
    package let sessionID: String
    package let machine: MachineID
    package internal(set) var workspaceID: String?
    package let kind: Kind
    package internal(set) var source: Source
    /// `nil` for the main agent.
    package internal(set) var agentID: String?
    package internal(set) var toolName: String?
    /// The prompt's id for clients: Claude's id of the call if it was known at opening, otherwise `id`. It never
    /// changes.
    package private(set) var toolUseID: String
    /// Claude's id of the call. It may become known after the opening.
    package internal(set) var callID: String?
    var inputHash: UInt64?
    /// The id of an elicitation.
    var elicitationID: String?
    /// Each text is one line of at most 400 bytes.
    package internal(set) var title: String
    package internal(set) var detail: String
    /// Whether `detail` is the whole of what is asked: every member that has an effect, every byte, nothing masked.
    package internal(set) var isDetailComplete = false
    package internal(set) var question: String?

    package internal(set) var state = State.open
    package internal(set) var closedAt: Timestamp?
    /// The event that shows how the prompt ended. `nil` while the prompt is open, and also if newer prompts displaced
    /// it.
    package internal(set) var evidence: EventID?
    package internal(set) var answeredBy: Answerer?
    package internal(set) var decision: Decision?

    /// What the call can do. If the machine's own hook waits for an answer, the hook's judgement counts.
    package internal(set) var risk: ToolRisk?
    /// The permission request for this prompt, if another event opened the prompt.
    package internal(set) var requestedBy: EventID?
    /// The answer of a device or the operator that counts.
    package internal(set) var answer: PromptAnswer?
    /// Answers that came too late or were overruled in the terminal, at most `maximumLateAnswers`.
    package internal(set) var lateAnswers: [PromptAnswer] = []
    /// What happened after the opening, in log order. Beyond `maximumSteps`, devices add only that they read the whole
    /// request.
    package internal(set) var steps: [PromptStep] = []
    /// The last phase that an event of the log has reported to clients.
    package internal(set) var announced = Phase.none

    package static let maximumSteps = 40
    package static let maximumLateAnswers = 8

    /// The phases that the log reports to clients, each with one event.
    package enum Phase: Int64, Sendable, Comparable {
        case none
        case opened
        case closed
        /// It is known whether the answer was applied.
        case settled

        package static func < (left: Phase, right: Phase) -> Bool { left.rawValue < right.rawValue }
    }

    package var phase: Phase {
        guard state != .open else { return .opened }
        return steps.contains { $0.name == PromptStep.applied || $0.name == PromptStep.late } ? .settled : .closed
    }

    /// `prm_` and the opening event's id as 32 hexadecimal digits.
    package var id: String { Prompt.id(openedBy) }

    /// Whether the prompt asks for this call: the same tool with the same input, every byte.
    package func asks(for toolName: String?, inputHash: UInt64?) -> Bool {
        inputHash != nil && self.inputHash == inputHash && self.toolName == toolName
    }

    /// Whether the session waits for the answer. A session that is only idle does not.
    package var isWaitedFor: Bool { state == .open && source != .idle }

    /// Whether a person refused, which ends the turn of the agent that asked.
    package var isRefusedAtTerminal: Bool {
        answeredBy == .terminal && decision == .deny && [.permission, .question, .plan].contains(kind)
    }

    /// The prompt with the id by which clients know it, if its tracker has not seen the start of the call.
    package func named(_ toolUseID: String) -> Prompt {
        var prompt = self
        prompt.toolUseID = toolUseID
        return prompt
    }

    package static func id(_ event: EventID) -> String { "prm_" + event.description.filter { $0 != "-" } }
}

/// A change that an event made to the prompts of its session.
package enum PromptChange: Sendable, Equatable {
    case opened(Prompt)
    /// The prompt's dialog is shown to a person.
    case confirmed(Prompt)
    case closed(Prompt)
    /// The prompt's steps or answer changed, but not whether it is open.
    case updated(Prompt)

    package func mapPrompt(_ change: (Prompt) -> Prompt) -> PromptChange {
        switch self {
        case .opened(let prompt): .opened(change(prompt))
        case .confirmed(let prompt): .confirmed(change(prompt))
        case .closed(let prompt): .closed(change(prompt))
        case .updated(let prompt): .updated(change(prompt))
        }
    }
}

extension [PromptChange] {
    package var opened: Prompt? {
        for case .opened(let prompt) in self { return prompt }
        return nil
    }

    package var closed: [Prompt] {
        compactMap { change in
            guard case .closed(let prompt) = change else { return nil }
            return prompt
        }
    }

    /// The prompts that are not open after the event and whose rows it changed.
    package var settled: [Prompt] {
        compactMap { change in
            switch change {
            case .closed(let prompt): prompt
            case .updated(let prompt) where prompt.state != .open: prompt
            default: nil
            }
        }
    }
}
