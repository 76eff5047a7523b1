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
        settlement = PushSettlement(id: push.id, state: .failed, code: "failed", reason: "")
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
        case .unknown:
            settlement.code = "no_answer"
            settlement.reason = "It was sent twice and never answered. The device may have it."
        case .malformed(let fault):
            settlement.code = "malformed"
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
        let said = refusal.reason ?? "status \(refusal.status)"
        settlement.status = refusal.status
        settlement.code = "rejected"
        settlement.reason = "The push service refused it: \(said)."
        // It answered, so this was no try whose end is unknown.
        settlement.wasNotSubmitted = true
        if case .channel(let cause)? = refusal.fault {
            let until = breakers.failed(push.channel, cause: cause, now: now)
            return wait(until: until, code: "breaker", "Pushing is suspended: the service says \(cause).", push)
        }
        switch refusal.token {
        case .confirmed: token = push.verdict(.active, nil)
        case .keep: break
        case .drop:
            token = push.verdict(.gone, said)
            settlement.code = "token_gone"
        case .quarantine:
            settlement.code = "token_refused"
            if !breakers.refusedToken(of: push.trace.device, push.channel, cause: said, now: now) {
                token = push.verdict(.quarantined, said)
            }
        }
        switch refusal.retry {
        case .never, .onceSmaller: break
        case .onceElsewhere:
            wait(until: now.adding(seconds: PushVerdict.unreachablePause), code: "retry", settlement.reason, push)
        case .after(let seconds):
            // Longer each time, as the services ask.
            let factor = Double(1 << min(max(push.attempts - 1, 0), 4))
            wait(until: now.adding(seconds: Double(seconds) * factor), code: "retry", settlement.reason, push)
        }
    }

    private mutating func returnUnsent(
        _ cause: UnsentCause,
        _ push: ReadyPush,
        _ breakers: inout PushBreakers,
        _ now: Timestamp
    ) {
        settlement.wasNotSubmitted = true
        switch cause {
        case .queueFull:
            wait(until: now.adding(seconds: PushVerdict.congestedPause), code: "congested", "Too much waits.", push)
        case .expired(let failure):
            let detail = failure.map { ": \($0)" } ?? ""
            let reason = "The push service was not reached\(detail)."
            wait(until: now.adding(seconds: PushVerdict.unreachablePause), code: "unreachable", reason, push)
        case .stopped: wait(until: now, code: "stopped", "The server was stopped.", push)
        case .refused:
            let reason = "The push service turned it away unread."
            wait(until: now.adding(seconds: PushVerdict.unreachablePause), code: "refused", reason, push)
        case .noProviderToken:
            let until = breakers.failed(push.channel, cause: "the key does not sign", now: now)
            wait(until: until, code: "breaker", "The key does not sign.", push)
        case .unusableService(let reason):
            settlement.code = "unusable_service"
            settlement.reason = "The browser's push service cannot be used: \(reason)."
            token = push.verdict(.quarantined, reason)
        }
    }

    /// Waiting beyond its end is pointless: then it has expired, for this reason.
    private mutating func wait(until: Timestamp, code: String, _ reason: String, _ push: ReadyPush) {
        let isTooLate = until >= push.expiresAt
        settlement.state = isTooLate ? .expired : .waiting
        settlement.dueAt = isTooLate ? nil : until
        settlement.code = code
        settlement.reason = reason
    }
}

extension ReadyPush {
    fileprivate func verdict(_ state: PushTokenRecord.State, _ reason: String?) -> PushTokenVerdict {
        PushTokenVerdict(tokenID: tokenID, registeredAt: registeredAt, state: state, reason: reason)
    }
}
