internal import EventModel
internal import PushGateway

/// How a submission ended, the same for both kinds of transport.
enum PushResult: Sendable, Equatable {
    enum Token: Sendable, Equatable {
        case confirmed
        case keep
        case quarantine
        case drop
    }

    /// Something that stops a whole channel, or tells of a fault of ours.
    enum Fault: Sendable, Equatable {
        /// Key, topic or environment: no push of the channel would go through.
        case channel(String)
        case request
    }

    struct Refusal: Sendable, Equatable {
        var status: Int
        /// As the service wrote it, bounded.
        var reason: String?
        var retry: PushRetry
        var token: Token
        var fault: Fault?

        /// What the service said, for people.
        var said: String { reason ?? "status \(status)" }
    }

    case accepted(status: Int)
    case rejected(Refusal)
    /// Certainly not processed.
    case unsent(UnsentCause)
    /// Sent, with the repetition that is allowed, and never answered.
    case unknown(LossCause)
    /// Not even handed over: it does not have the form.
    case malformed(String)
}

extension PushResult {
    /// - Parameter isOwnTopic: the token came with a topic of its own, so that Apple does not take the topic is a
    ///   fault of the token.
    init(_ outcome: APNsOutcome, isOwnTopic: Bool) {
        switch outcome {
        case .accepted(let answer): self = .accepted(status: answer.status)
        case .unsent(let cause): self = .unsent(cause)
        case .unknown(let cause): self = .unknown(cause)
        case .rejected(let answer, let reaction):
            let isOfToken = isOwnTopic && reaction.fault == .topic
            self = .rejected(
                Refusal(
                    status: answer.status,
                    reason: answer.reasonText,
                    retry: reaction.retry,
                    token: isOfToken ? .quarantine : Token(reaction.deviceToken),
                    fault: isOfToken ? nil : reaction.fault.map { Fault($0, reason: answer.reasonText) }
                )
            )
        }
    }

    init(_ outcome: WebPushOutcome) {
        switch outcome {
        case .accepted(let answer): self = .accepted(status: answer.status)
        case .unsent(let cause): self = .unsent(cause)
        case .unknown(let cause): self = .unknown(cause)
        case .rejected(let answer, let reaction):
            self = .rejected(
                Refusal(
                    status: answer.status,
                    reason: answer.reasonText,
                    retry: reaction.retry,
                    token: Token(reaction.subscription),
                    fault: reaction.fault.map { Fault($0, reason: answer.reasonText) }
                )
            )
        }
    }
}

extension PushResult.Token {
    fileprivate init(_ verdict: APNsReaction.DeviceToken) {
        switch verdict {
        case .confirmed: self = .confirmed
        case .keep: self = .keep
        case .quarantine: self = .quarantine
        case .drop: self = .drop
        }
    }

    fileprivate init(_ verdict: WebPushReaction.Subscription) {
        switch verdict {
        case .confirmed: self = .confirmed
        case .keep: self = .keep
        case .quarantine: self = .quarantine
        case .drop: self = .drop
        }
    }
}

extension PushResult.Fault {
    fileprivate init(_ fault: APNsReaction.Fault, reason: String?) {
        switch fault {
        case .topic, .key, .environment, .clockSkew, .tokenUpdates: self = .channel(reason ?? "\(fault)")
        case .request, .payload, .unexpected: self = .request
        }
    }

    fileprivate init(_ fault: WebPushReaction.Fault, reason: String?) {
        switch fault {
        case .key: self = .channel(reason ?? "the service does not take our token")
        case .request, .payload, .unexpected: self = .request
        }
    }
}
