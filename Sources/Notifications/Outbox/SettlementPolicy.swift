internal import EventModel
internal import Outbox
internal import PushGateway

/// Derives the settlement from the outcome of a submission. Its only effect is to update the breakers.
struct SettlementPolicy {
    static let unreachablePause = 15.0
    static let congestedPause = 5.0
    static let undecidedPause = 1.0

    private let push: PushRequest
    private let now: Timestamp
    private var settlement: Settlement

    /// - Parameter void: why the permission to send it was denied.
    static func settle(
        _ outcome: PushOutcome,
        of push: PushRequest,
        void: PushCode? = nil,
        _ breakers: inout PushBreakers,
        now: Timestamp
    ) -> Settlement {
        var policy = SettlementPolicy(
            push: push,
            now: now,
            settlement: Settlement(id: push.entry.id, state: .failed, code: outcome.code)
        )
        policy.settlement.level = push.delivery.level.rawValue
        policy.settlement.collapseID = push.delivery.collapseID
        switch outcome {
        case .accepted(let answer):
            breakers.accepted(push.channel)
            policy.settlement.state = .sent
            policy.settlement.code = push.delivery.reason.code
            policy.settlement.reason = push.delivery.reason.sentence
            policy.settlement.status = answer.status
            policy.settlement.budget = push.budget
            policy.settlement.token = TokenVerdict(push.token, .active, nil)
        case .rejected(let answer, let reaction):
            policy.reject(answer, reaction, outcome.channelFault, &breakers)
        case .unsent(.denied): policy.drop(void ?? .withdrawn, &breakers)
        case .unsent(let cause): policy.returnUnsent(cause, &breakers)
        case .unknown: break
        }
        return policy.settlement
    }

    private mutating func reject(
        _ answer: PushAnswer,
        _ reaction: PushReaction,
        _ channelFault: String?,
        _ breakers: inout PushBreakers
    ) {
        settlement.status = answer.status
        settlement.reason = "The push service refused it: \(answer.said)."
        // The service answered, so the outcome of this attempt is known.
        settlement.wasNotSubmitted = true
        if let channelFault {
            let until = breakers.failed(push.channel, cause: channelFault, now: now)
            return wait(.breaker(until: until), .breaker, "Pushing is suspended: the service says \(channelFault).")
        }
        let isJudged =
            reaction.token != .quarantine
            || !breakers.refused(push.entry.device, push.channel, cause: answer.said, now: now)
        // An answer about the token shows that the key was accepted.
        if reaction.token == .drop { breakers.accepted(push.channel) }
        if isJudged, let state = reaction.tokenState {
            settlement.token = TokenVerdict(push.token, state, state == .active ? nil : answer.said)
        }
        let reason = "The push service could not take it: \(answer.said)."
        switch reaction.retry {
        case .never: settlement.code = reaction.code
        case .onceSmaller:
            settlement.code = .rejected
            guard !push.entry.isTooLarge else { return }
            settlement.isTooLarge = true
            wait(.own(until: now), .tooLarge)
        case .onceElsewhere: wait(.own(until: now.adding(seconds: backOff(from: 15))), .retry, reason)
        case .backOff(let first): wait(.own(until: now.adding(seconds: backOff(from: Double(first)))), .retry, reason)
        case .after(let seconds):
            // Waits as long as requested. If the service has requested a retry before, waits at least as long as the
            // backoff.
            let pause = max(Double(seconds), 1, push.entry.retries > 0 ? backOff(from: 5) : 0)
            wait(.asked(until: now.adding(seconds: pause)), .retry, reason)
        }
    }

    private mutating func drop(_ code: PushCode, _ breakers: inout PushBreakers) {
        breakers.notTried(push.channel, now: now)
        settlement = Settlement(id: push.entry.id, state: PushState(code), code: code)
        settlement.wasNotSubmitted = true
    }

    private mutating func returnUnsent(_ cause: UnsentCause, _ breakers: inout PushBreakers) {
        settlement.wasNotSubmitted = true
        let pause = now.adding(seconds: SettlementPolicy.unreachablePause)
        switch cause {
        case .queueFull:
            let soon = now.adding(seconds: SettlementPolicy.congestedPause)
            wait(.own(until: soon), .congested)
        case .expired(let failure):
            let detail = failure.map { ": \($0)" } ?? ""
            wait(.own(until: pause), .unreachable, "The push service was not reached\(detail).")
        case .untrusted(let detail):
            wait(.own(until: pause), .untrusted, "The push service is not trusted: \(detail).")
        case .denied: break
        case .undecided:
            breakers.notTried(push.channel, now: now)
            let soon = now.adding(seconds: SettlementPolicy.undecidedPause)
            wait(.own(until: soon), .undecided)
        case .stopped: wait(.own(until: now), .stopped)
        case .refused: wait(.own(until: pause), .refused)
        case .noProviderToken:
            let until = breakers.failed(push.channel, cause: "the key does not sign", now: now)
            wait(.breaker(until: until), .breaker, "Pushing is suspended: the key does not sign.")
        case .unusableService(let reason):
            settlement.reason = "The browser's push service cannot be used: \(reason)."
            settlement.token = TokenVerdict(push.token, .quarantined, reason)
        }
    }

    /// - Parameter reason: `nil` uses the code's own sentence.
    private mutating func wait(_ wait: RetryTime.Wait, _ code: PushCode, _ reason: String? = nil) {
        let reason = reason ?? code.sentence
        settlement.isRetried = code == .retry
        guard let until = RetryTime.of(wait, expiresAt: push.delivery.expiresAt, now: now) else {
            if case .asked(let until) = wait { return expire(reason + " It wants no other try before \(until).") }
            return expire(reason)
        }
        settlement.state = .waiting
        settlement.dueAt = until
        settlement.code = code
        settlement.reason = reason
    }

    private mutating func expire(_ reason: String) {
        settlement.state = .expired
        settlement.code = .expired
        settlement.reason = PushCode.expired.sentence + " " + reason
    }

    private func backOff(from first: Double) -> Double {
        RetryTime.backOff(from: first, retries: push.entry.retries)
    }
}
