internal import EventModel
internal import Persistence
internal import PushGateway

/// What the end of a submission means for the outbox. Pure, but for the breakers that it moves.
struct PushVerdict {
    static let unreachablePause = 15.0
    static let congestedPause = 5.0

    var settlement: PushSettlement
    var token: PushTokenVerdict?

    init(_ result: PushResult, of push: ReadyPush, _ breakers: inout PushBreakers, now: Timestamp) {
        settlement = PushSettlement(id: push.id, state: .failed, code: result.code)
        settlement.level = push.level
        settlement.collapseID = push.collapseID
        switch result {
        case .accepted(let status):
            breakers.accepted(push.channel)
            settlement.state = .sent
            settlement.code = push.code
            settlement.reason = push.reason
            settlement.status = status
            settlement.budget = push.budget
            token = push.verdict(.active, nil)
        case .rejected(let refusal): reject(refusal, push, &breakers, now)
        case .unsent(let cause): returnUnsent(cause, push, &breakers, now)
        case .unknown: break
        case .malformed(let fault):
            settlement.reason = "It could not be put into the service's form: \(fault)."
            settlement.wasNotSubmitted = true
        }
    }

    private mutating func reject(
        _ refusal: PushResult.Refusal,
        _ push: ReadyPush,
        _ breakers: inout PushBreakers,
        _ now: Timestamp
    ) {
        let said = refusal.said
        settlement.status = refusal.status
        settlement.reason = "The push service refused it: \(said)."
        // It answered, so this was no try whose end is unknown.
        settlement.wasNotSubmitted = true
        if case .channel(let cause)? = refusal.fault {
            let until = breakers.failed(push.channel, cause: cause, now: now)
            return wait(.breaker(until), "Pushing is suspended: the service says \(cause).", push, now)
        }
        switch refusal.token {
        case .confirmed: token = push.verdict(.active, nil)
        case .keep: break
        case .drop:
            token = push.verdict(.gone, said)
            // An answer about the token shows that the key was accepted.
            breakers.accepted(push.channel)
        case .quarantine:
            if !breakers.refusedToken(of: push.trace.device, push.channel, cause: said, now: now) {
                token = push.verdict(.quarantined, said)
            }
        }
        let reason = "The push service could not take it: \(said)."
        switch refusal.retry {
        case .never: settlement.code = refusal.token.code ?? .rejected
        case .onceSmaller:
            settlement.code = .rejected
            guard !push.isSmaller else { return }
            settlement.isTooLarge = true
            wait(.own(.tooLarge, until: now), PushCode.tooLarge.sentence, push, now)
        case .onceElsewhere: wait(.own(.retry, until: now.adding(seconds: push.backOff(from: 15))), reason, push, now)
        case .backOff(let first):
            wait(.own(.retry, until: now.adding(seconds: push.backOff(from: Double(first)))), reason, push, now)
        case .after(let seconds):
            wait(.asked(until: now.adding(seconds: push.wait(asked: Double(seconds)))), reason, push, now)
        }
    }

    private mutating func returnUnsent(
        _ cause: UnsentCause,
        _ push: ReadyPush,
        _ breakers: inout PushBreakers,
        _ now: Timestamp
    ) {
        settlement.wasNotSubmitted = true
        let pause = now.adding(seconds: PushVerdict.unreachablePause)
        switch cause {
        case .queueFull:
            let soon = now.adding(seconds: PushVerdict.congestedPause)
            wait(.own(.congested, until: soon), PushCode.congested.sentence, push, now)
        case .expired(let failure):
            let detail = failure.map { ": \($0)" } ?? ""
            wait(.own(.unreachable, until: pause), "The push service was not reached\(detail).", push, now)
        case .untrusted(let detail):
            wait(.own(.untrusted, until: pause), "The push service is not trusted: \(detail).", push, now)
        case .stopped: wait(.own(.stopped, until: now), PushCode.stopped.sentence, push, now)
        case .refused: wait(.own(.refused, until: pause), PushCode.refused.sentence, push, now)
        case .noProviderToken:
            let until = breakers.failed(push.channel, cause: "the key does not sign", now: now)
            wait(.breaker(until), "Pushing is suspended: the key does not sign.", push, now)
        case .unusableService(let reason):
            settlement.reason = "The browser's push service cannot be used: \(reason)."
            token = push.verdict(.quarantined, reason)
        }
    }

    private enum Wait {
        /// The server's own choice: it is shortened, so that there is a last try before the push's end.
        case own(PushCode, until: Timestamp)
        /// The service wants no other try before.
        case asked(until: Timestamp)
        /// The channel's pause, which its recovery ends.
        case breaker(Timestamp)
    }

    /// A last try has this long.
    private static let lastTrySeconds = 5.0

    /// No wait outlives the push: where none is left the push has expired, and says what it waited for.
    private mutating func wait(_ wait: Wait, _ reason: String, _ push: ReadyPush, _ now: Timestamp) {
        let last = push.expiresAt.adding(seconds: -PushVerdict.lastTrySeconds)
        switch wait {
        case .own(let code, let until):
            settlement.isRetried = code == .retry
            guard until >= push.expiresAt else { return put(off: code, until, reason) }
            guard last > now.adding(seconds: 1) else { return expire(reason) }
            put(off: code, last, reason)
        case .asked(let until):
            settlement.isRetried = true
            guard until < push.expiresAt else {
                return expire(reason + " It wants no other try before \(until).")
            }
            put(off: .retry, until, reason)
        case .breaker(let until):
            guard push.expiresAt > now else { return expire(reason) }
            put(off: .breaker, min(until, push.expiresAt), reason)
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
}

extension ReadyPush {
    /// The longest pause that grows by itself.
    private static let longestBackOff = 300.0

    /// Seconds: `first`, and twice as long with each try that the service has put off.
    fileprivate func backOff(from first: Double) -> Double {
        let grown = first * Double(1 << min(max(retries, 0), 10))
        return min(grown, max(first, ReadyPush.longestBackOff))
    }

    /// As long as asked; where the service has asked before, no shorter than the back-off.
    fileprivate func wait(asked seconds: Double) -> Double {
        max(seconds, 1, retries > 0 ? backOff(from: 5) : 0)
    }

    fileprivate func verdict(_ state: PushTokenRecord.State, _ reason: String?) -> PushTokenVerdict {
        PushTokenVerdict(tokenID: tokenID, registeredAt: registeredAt, state: state, reason: reason)
    }
}
