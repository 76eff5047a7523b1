/// The attempts to send one push, and whether it may be retried.
///
/// Refused unprocessed: retried at once, up to a limit. Sent without an answer: retried once, because the service may
/// have accepted it. Rejected: retried once, and only if the answer allows it.
struct DeliveryAttempts: Sendable {
    enum Verdict: Sendable, Equatable {
        case retry
        case finish(PushOutcome)
    }

    private var refusals = 0
    private var hasRepeated = false
    private var loss: LossCause?

    mutating func refused(limit: Int) -> Verdict {
        refusals += 1
        return refusals <= limit ? .retry : .finish(ended(.refused))
    }

    mutating func lost(_ cause: LossCause) -> Verdict {
        if loss != nil { return .finish(.unknown(cause)) }
        loss = cause
        return .retry
    }

    mutating func rejected(_ answer: PushAnswer, _ reaction: PushReaction) -> Verdict {
        if reaction.retry == .onceElsewhere, !hasRepeated {
            hasRepeated = true
            return .retry
        }
        return .finish(.rejected(answer, reaction))
    }

    /// The outcome of a push that ends while it is queued. After a lost attempt the push may have been sent.
    func ended(_ cause: UnsentCause) -> PushOutcome {
        loss.map { .unknown($0) } ?? .unsent(cause)
    }
}
