internal import EventModel
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
            return wait(.breaker(until), "Pushing is suspended: the service says \(channelFault).")
        }
        let isJudged =
            reaction.token != .quarantine
            || !breakers.refusedToken(of: push.entry.device, push.channel, cause: answer.said, now: now)
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
            wait(.own(.tooLarge, until: now), PushCode.tooLarge.sentence)
        case .onceElsewhere: wait(.own(.retry, until: now.adding(seconds: backOff(from: 15))), reason)
        case .backOff(let first): wait(.own(.retry, until: now.adding(seconds: backOff(from: Double(first)))), reason)
        case .after(let seconds):
            // Waits as long as requested. If the service has requested a retry before, waits at least as long as the
            // backoff.
            let pause = max(Double(seconds), 1, push.entry.retries > 0 ? backOff(from: 5) : 0)
            wait(.asked(until: now.adding(seconds: pause)), reason)
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
            wait(.own(.congested, until: soon), PushCode.congested.sentence)
        case .expired(let failure):
            let detail = failure.map { ": \($0)" } ?? ""
            wait(.own(.unreachable, until: pause), "The push service was not reached\(detail).")
        case .untrusted(let detail):
            wait(.own(.untrusted, until: pause), "The push service is not trusted: \(detail).")
        case .denied: break
        case .undecided:
            breakers.notTried(push.channel, now: now)
            let soon = now.adding(seconds: SettlementPolicy.undecidedPause)
            wait(.own(.undecided, until: soon), PushCode.undecided.sentence)
        case .stopped: wait(.own(.stopped, until: now), PushCode.stopped.sentence)
        case .refused: wait(.own(.refused, until: pause), PushCode.refused.sentence)
        case .noProviderToken:
            let until = breakers.failed(push.channel, cause: "the key does not sign", now: now)
            wait(.breaker(until), "Pushing is suspended: the key does not sign.")
        case .unusableService(let reason):
            settlement.reason = "The browser's push service cannot be used: \(reason)."
            settlement.token = TokenVerdict(push.token, .quarantined, reason)
        }
    }

    private enum Wait {
        /// The server's own choice. It is shortened to allow a last attempt before the push expires.
        case own(PushCode, until: Timestamp)
        /// The service refuses attempts before this time.
        case asked(until: Timestamp)
        /// The channel's pause. It ends when the channel recovers.
        case breaker(Timestamp)
    }

    /// Seconds before the expiry at which the last attempt starts.
    private static let lastTrySeconds = 5.0

    /// No wait outlasts the push. Without time for an attempt the push expires, with the reason for the wait.
    private mutating func wait(_ wait: Wait, _ reason: String) {
        let end = push.delivery.expiresAt
        let last = end.adding(seconds: -SettlementPolicy.lastTrySeconds)
        switch wait {
        case .own(let code, let until):
            settlement.isRetried = code == .retry
            guard until >= end else { return put(off: code, until, reason) }
            guard last > now.adding(seconds: 1) else { return expire(reason) }
            put(off: code, last, reason)
        case .asked(let until):
            settlement.isRetried = true
            guard until < end else {
                return expire(reason + " It wants no other try before \(until).")
            }
            put(off: .retry, until, reason)
        case .breaker(let until):
            guard end > now else { return expire(reason) }
            put(off: .breaker, min(until, end), reason)
        }
    }

    private mutating func put(off code: PushCode, _ until: Timestamp, _ reason: String) {
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

    /// Maximum backoff in seconds.
    private static let longestBackOff = 300.0

    /// Seconds: `first`, doubled for each retry that the service has requested.
    private func backOff(from first: Double) -> Double {
        let grown = first * Double(1 << min(max(push.entry.retries, 0), 10))
        return min(grown, max(first, SettlementPolicy.longestBackOff))
    }
}
