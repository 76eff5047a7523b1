internal import EventModel
internal import Persistence
internal import PushPolicy

/// Asks the rules about claimed deliveries, one after the other: what one is decided counts for the next.
struct PushDecider {
    enum Step {
        case settle(PushSettlement)
        case submit(ReadyPush)
    }

    /// A push that was handed over so often and whose end nobody knows is not handed over again.
    static let submissionLimit: Int64 = 2

    let layers: PreferenceLayers
    let presence: PresenceReport
    let composer: PushComposer
    let now: Timestamp
    /// Sent, or under way.
    private(set) var traces: [PushTrace]
    private(set) var budgets: [DeviceID: Timestamp]

    init(
        claim: PushClaim,
        underWay: [PushTrace],
        pendingBudgets: [DeviceID: Timestamp],
        presence: PresenceReport,
        composer: PushComposer,
        now: Timestamp
    ) {
        layers = PreferenceLayers(claim.layers)
        self.presence = presence
        self.composer = composer
        self.now = now
        traces = claim.sent.map(PushTrace.init) + underWay
        budgets = claim.budgets.merging(pendingBudgets) { max($0, $1) }
    }

    mutating func decide(_ push: ClaimedPush, _ breakers: inout PushBreakers) -> Step {
        guard let token = push.token else {
            return settle(push, .withdrawn, .tokenRemoved)
        }
        guard token.state == .active else {
            return settle(push, .suppressed, token.state == .gone ? .tokenGone : .tokenQuarantined)
        }
        guard push.submissions < PushDecider.submissionLimit else {
            return settle(push, .failed, .noAnswer)
        }
        guard let channel = composer.channel(of: token) else {
            return settle(push, .suppressed, .pushOff)
        }
        if push.kind == PushCanary.kind { return canary(push, token, channel, &breakers) }
        guard var notice = PushNotice(stored: push.notice) else {
            return settle(push, .failed, .unreadable)
        }
        if let count = push.digest { (notice.details.count, notice.details.sessions) = (Int(count.0), Int(count.1)) }
        if push.confirmedAt != nil { notice.unconfirmedSeconds = 0 }
        let preferences = layers.resolved(for: push)
        var situation = DeliveryCase(
            notice: notice,
            preferences: push.isTest ? ResolvedPreferences(forTestWith: preferences) : preferences,
            device: DeviceSituation(id: push.device, utcOffset: Int(push.utcOffsetSeconds)),
            presence: push.isTest ? .unknown : presence,
            recent: recent(push, notice),
            now: now
        )
        var decision = DeliveryRules.decide(situation)
        if case .send = decision, let until = breakers.admit(channel, now: now) {
            situation.recent.breakerUntil = until
            decision = DeliveryRules.decide(situation)
        }
        return step(decision, push, notice, token, channel)
    }

    /// Nobody sees it, so no preference holds it up.
    private func canary(
        _ push: ClaimedPush,
        _ token: PushTokenRecord,
        _ channel: String,
        _ breakers: inout PushBreakers
    ) -> Step {
        guard token.content.kind == .alert else {
            return settle(push, .suppressed, .noApp)
        }
        guard now < push.expiresAt else {
            return expired(push)
        }
        guard let until = breakers.admit(channel, now: now) else {
            return .submit(composer.canary(push, token, channel: channel, now: now))
        }
        return settle(push, .waiting, .breaker, due: min(until, push.expiresAt))
    }

    private mutating func step(
        _ decision: DeliveryDecision,
        _ push: ClaimedPush,
        _ notice: PushNotice,
        _ token: PushTokenRecord,
        _ channel: String
    ) -> Step {
        let reason = decision.reason
        switch decision {
        case .wait(let until, _):
            return settle(push, .waiting, reason.code, reason.sentence, due: until)
        case .suppress where reason.code == .expired: return expired(push)
        case .suppress: return settle(push, PushDecision.State(reason.code), reason.code, reason.sentence)
        case .digest(let due, _):
            var settlement = PushSettlement(
                id: push.id,
                state: .suppressed,
                code: reason.code,
                reason: reason.sentence + " It is counted in a digest."
            )
            settlement.digest = NewPushNotice(digestFor: push, due: due, now: now)
            return .settle(settlement)
        case .send(let delivery):
            var ready = composer.ready(push, notice, delivery, token, channel: channel, now: now)
            if push.isTest { ready.budget = nil }
            traces.append(ready.trace)
            budgets[push.device] = ready.budget?.fullAt ?? budgets[push.device]
            return .submit(ready)
        }
    }

    private func settle(
        _ push: ClaimedPush,
        _ state: PushDecision.State,
        _ code: PushCode,
        _ reason: String? = nil,
        due: Timestamp? = nil
    ) -> Step {
        .settle(PushSettlement(id: push.id, state: state, dueAt: due, code: code, reason: reason))
    }

    /// With what it waited for.
    private func expired(_ push: ClaimedPush) -> Step {
        let waited = push.lastReason.map { " It had waited: \($0)" } ?? ""
        return settle(push, .expired, .expired, PushCode.expired.sentence + waited)
    }

    private func recent(_ push: ClaimedPush, _ notice: PushNotice) -> RecentDeliveries {
        let own = traces.filter { $0.device == push.device }
        let same = own.filter { $0.collapseID == notice.collapseID }
        let newer = same.filter { $0.seq > notice.seq && notice.seq > 0 }.max { $0.seq < $1.seq }
        let inSession = own.filter { $0.sessionID != nil && $0.sessionID == notice.place.sessionID }
        return RecentDeliveries(
            budget: DeliveryBudget(fullAt: push.isTest ? nil : budgets[push.device]),
            withdrawn: push.withdrawnBecause.map { WithdrawalReason(rawValue: $0) ?? .answeredElsewhere },
            sameCollapseSentAt: same.map(\.sentAt).max(),
            newerSent: newer.flatMap { NoticeKind(rawValue: $0.kind) },
            newerDueAt: push.newerDueAt,
            sessionSentAt: inSession.map(\.sentAt).max(),
            promptWasSent: same.contains { $0.kind != NoticeKind.resolved.rawValue }
        )
    }
}

extension ClaimedPush {
    fileprivate var isTest: Bool { noticeKey.hasPrefix(PushNotice.testPrefix) }
}

extension ResolvedPreferences {
    /// What somebody asked for just now is held up by nothing that they set.
    fileprivate init(forTestWith preferences: ResolvedPreferences) {
        self.init()
        privacy = preferences.privacy
        graceSeconds = 0
    }
}

extension PushTrace {
    init(_ sent: SentPush) {
        self.init(
            device: sent.device,
            sentAt: sent.sentAt,
            kind: sent.kind,
            sessionID: sent.sessionID,
            collapseID: sent.collapseID ?? "",
            seq: sent.seq ?? 0
        )
    }
}

extension PushDecision.State {
    /// Of what is decided against.
    fileprivate init(_ code: PushCode) {
        self = code.states.contains(.withdrawn) ? .withdrawn : .suppressed
    }
}

extension NewPushNotice {
    /// One of these waits for a device at a time.
    fileprivate init(digestFor push: ClaimedPush, due: Timestamp, now: Timestamp) {
        let device = push.device.rawValue
        let expiresAt = due.adding(seconds: NoticeKind.digest.lifetimeSeconds)
        let notice = PushNotice(
            key: "g:\(device):\(due.microseconds)",
            kind: .digest,
            place: NoticePlace(),
            seq: 0,
            raisedAt: now,
            notBefore: due,
            expiresAt: expiresAt,
            collapseID: "g:\(device)"
        )
        self.init(notice, eventID: nil)
    }
}
