internal import EventModel

/// How a prompt ends.
struct PromptEnd: Equatable {
    var state: Prompt.State
    var answeredBy: Prompt.Answerer?
    var decision: Prompt.Decision?

    static let expired = PromptEnd(state: .expired, answeredBy: .timeout, decision: .deny)
    static let overtaken = PromptEnd(state: .overtaken)
    static let gone = PromptEnd(state: .gone)

    static func answered(by answerer: Prompt.Answerer, _ decision: Prompt.Decision? = nil) -> PromptEnd {
        PromptEnd(state: .answered, answeredBy: answerer, decision: decision)
    }
}

extension Prompt {
    /// - Parameter evidence: `nil` if the event does not concern the prompt itself.
    func closed(_ end: PromptEnd, at time: Timestamp, evidence: EventID?) -> Prompt {
        var prompt = self
        prompt.state = end.state
        prompt.answeredBy = end.answeredBy
        prompt.decision = end.decision
        prompt.closedAt = time
        prompt.evidence = evidence
        prompt.add(PromptStep(end.state.rawValue, at: time, evidence: evidence))
        return prompt
    }
}
