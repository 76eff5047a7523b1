/// The attempts to send one push, and whether it may be retried.
///
/// A push that was refused unprocessed is retried at once, up to a limit. A push that was sent without an answer is
/// retried once, because the service may have accepted it. A rejected push is retried once, and only if the answer
/// allows it.
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

    /// The outcome of a push that ends while it is queued. If an attempt was lost, the push may have been sent.
    func ended(_ cause: UnsentCause) -> PushOutcome {
        loss.map { .unknown($0) } ?? .unsent(cause)
    }
}
