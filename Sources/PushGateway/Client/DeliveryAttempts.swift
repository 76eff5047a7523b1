/// What has happened to one push so far, and whether it may be tried again.
///
/// Refused unprocessed: again at once, up to a limit. Sent without an answer: once more, because the service may have
/// taken it. Rejected: again only where the answer says so, once.
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

    /// The outcome of a push that ends while it waits: after a loss nobody can say that it was not sent.
    func ended(_ cause: UnsentCause) -> PushOutcome {
        loss.map { .unknown($0) } ?? .unsent(cause)
    }
}
