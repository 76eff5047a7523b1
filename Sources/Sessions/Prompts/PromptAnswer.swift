package import EventModel

/// An answer that a device or the operator gave.
package struct PromptAnswer: Sendable, Equatable {
    package enum Scope: String, Sendable, CaseIterable {
        case once
        case session
        case always
    }

    package enum Outcome: String, Sendable, CaseIterable {
        /// Claude Code acted on it.
        case applied
        /// It came after another answer, or the session went on without it.
        case late
    }

    /// The id by which a repeated request is recognized.
    package var id: String
    package var decision: Prompt.Decision
    package var scope: Scope?
    package var answerer: Prompt.Answerer
    /// The device's number; `nil` for the operator.
    package var deviceID: String?
    package var name: String?
    /// On the server's clock.
    package var at: Timestamp
    /// The reason of a refusal, the feedback on a plan or the answers to questions, as the content policy keeps them.
    package var said: String?
    /// Each event about the prompt repeats the words.
    package static let maximumSaidBytes = 2000
    package internal(set) var outcome: Outcome?

    package init(
        id: String,
        decision: Prompt.Decision,
        scope: Scope? = nil,
        answerer: Prompt.Answerer,
        deviceID: String? = nil,
        name: String? = nil,
        at: Timestamp
    ) {
        (self.id, self.decision, self.scope, self.answerer) = (id, decision, scope, answerer)
        (self.deviceID, self.name, self.at) = (deviceID, name, at)
    }
}

/// Something that happened to a prompt.
package struct PromptStep: Sendable, Equatable {
    static let applied = "applied"
    /// The answer was overruled in the terminal.
    static let late = "late"

    package var name: String
    package var at: Timestamp
    package var deviceID: String?
    /// The event that shows it.
    package var evidence: EventID?

    package init(_ name: String, at: Timestamp, deviceID: String? = nil, evidence: EventID? = nil) {
        (self.name, self.at, self.deviceID, self.evidence) = (name, at, deviceID, evidence)
    }
}

extension Prompt {
    /// The same step of the same device is kept once. Steps `revealed` have a limit of their own:
    /// other steps must not push them out, because only a device with that step may allow a masked request.
    mutating func add(_ step: PromptStep) {
        let maximum = step.name == PromptUpdate.Step.revealed.rawValue ? 2 * Prompt.maximumSteps : Prompt.maximumSteps
        guard !steps.contains(where: { $0.name == step.name && $0.deviceID == step.deviceID }),
            step.deviceID == nil || steps.count < maximum
        else { return }
        steps.append(step)
    }

    mutating func addLate(_ answer: PromptAnswer) {
        guard !lateAnswers.contains(where: { $0.id == answer.id }), lateAnswers.count < Prompt.maximumLateAnswers
        else { return }
        var answer = answer
        answer.outcome = .late
        lateAnswers.append(answer)
    }
}
