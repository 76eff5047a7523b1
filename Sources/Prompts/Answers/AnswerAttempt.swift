internal import EventModel
internal import HTTPModel
internal import JSON
internal import Sessions

/// A request to answer a prompt. The log decides which answer of a prompt is the first. This decides whether the answer
/// may enter that race, and what the log's decision means for the request.
struct AnswerAttempt: Sendable {
    enum Outcome: Sendable, Equatable {
        /// The answer counts.
        case first
        /// - Parameter isKnown: the log shows the answer as a late one already.
        case late(PromptAnswer, APIError, isKnown: Bool)
    }

    let body: AnswerBody
    private let id: String
    private let device: (id: String, name: String)?
    /// The person's words, as the content policy keeps them.
    private let said: String?
    private let at: Timestamp

    /// - Parameter device: `nil` for the operator.
    /// - Parameter kept: the part of a text that the content policy keeps.
    init(
        _ body: AnswerBody,
        by device: (id: String, name: String)?,
        at time: Timestamp,
        kept: (String) -> String?
    ) {
        var random = SystemRandomNumberGenerator()
        id = body.answerID ?? EventID.version7(at: time, using: &random).description
        (self.body, self.device, at) = (body, device, time)
        said = body.said.flatMap(kept)?.cut(to: PromptAnswer.maximumSaidBytes)
    }

    /// What the client sent.
    var sent: [UInt8] {
        var writer = JSONWriter()
        writer.value(body.json)
        return writer.bytes
    }

    /// Checks the answer to an open prompt.
    func judged(by rules: AnswerRules) throws(APIError) -> (decision: HookDecision, answer: PromptAnswer) {
        guard rules.policy.allows(device: device?.id) else { throw .otherDevicesOnly }
        let decision = try rules.decision(for: body)
        return (decision, answer(decision.decision, decision.scope))
    }

    /// - Parameter prompt: closed.
    func outcome(in prompt: Prompt) -> Outcome {
        if let first = prompt.answer, isThis(first) { return .first }
        let decision = body.decision ?? (body.answers != nil || body.action == "accept" ? .allow : .deny)
        let late = answer(decision, decision == .allow ? .once : nil)
        return .late(late, .over(prompt), isKnown: prompt.lateAnswers.contains(where: isThis))
    }

    private func isThis(_ answer: PromptAnswer) -> Bool { answer.id == id && answer.deviceID == device?.id }

    /// - Parameter scope: the scope if the body names none.
    private func answer(_ decision: Prompt.Decision, _ scope: PromptAnswer.Scope?) -> PromptAnswer {
        var answer = PromptAnswer(
            id: id,
            decision: decision,
            scope: body.scope ?? scope,
            answerer: device == nil ? .operator : .device,
            deviceID: device?.id,
            name: device?.name,
            at: at
        )
        answer.said = said
        return answer
    }
}
