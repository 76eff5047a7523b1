internal import EventModel
internal import Outbox

/// Applies the rules to claimed deliveries, one after the other. Each decision affects the next ones.
struct DeliveryScheduler {
    enum Step {
        case settle(Settlement)
        case submit(PushRequest)
    }

    /// A push that was submitted this often with unknown outcome is not submitted again.
    static let submissionLimit: Int64 = 2

    let layers: PreferenceLayers
    let presence: PresenceReport
    let composer: PushComposer
    let now: Timestamp
    /// Sent pushes and pushes in progress.
    private(set) var sent: [SentPush]
    private(set) var budgets: [DeviceID: Timestamp]

    init(
        claim: OutboxClaim,
        underWay: [SentPush],
        pendingBudgets: [DeviceID: Timestamp],
        presence: PresenceReport,
        composer: PushComposer,
        now: Timestamp
    ) {
        layers = PreferenceLayers(claim.layers)
        self.presence = presence
        self.composer = composer
        self.now = now
        sent = claim.sent + underWay
        budgets = claim.budgets.merging(pendingBudgets) { max($0, $1) }
    }

    mutating func decide(_ push: OutboxEntry, _ breakers: inout PushBreakers) -> Step {
        guard let token = push.token else {
            return settle(push, .withdrawn, .tokenRemoved)
        }
        guard token.state == .active else {
            return settle(push, .suppressed, token.state == .gone ? .tokenGone : .tokenQuarantined)
        }
        guard push.submissions < DeliveryScheduler.submissionLimit else {
            return settle(push, .failed, .noAnswer)
        }
        guard let channel = composer.channel(of: token) else {
            return settle(push, .suppressed, .pushOff)
        }
        if push.isProbe { return probe(push, token, channel, &breakers) }
        guard var notice = push.notification else {
            return settle(push, .failed, .unreadable)
        }
        if let count = push.digest { (notice.details.count, notice.details.sessions) = (Int(count.0), Int(count.1)) }
        if push.confirmedAt != nil { notice.unconfirmedSeconds = 0 }
        let preferences = layers.resolved(
            device: push.device,
            workspaceID: push.workspaceID,
            sessionID: notice.place.sessionID
        )
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
        guard case .send(let delivery) = decision else { return settle(push, as: decision) }
        do throws(MalformedPush) {
            return submit(try composer.request(push, notice, delivery, token, channel: channel, now: now))
        } catch {
            breakers.notTried(channel, now: now)
            return malformed(push, error, delivery)
        }
    }

    /// No person sees a probe, so no preference delays it.
    private func probe(
        _ push: OutboxEntry,
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
        if let until = breakers.admit(channel, now: now) {
            return settle(push, .waiting, .breaker, due: min(until, push.expiresAt))
        }
        do throws(MalformedPush) {
            return .submit(try composer.probe(push, token, channel: channel, now: now))
        } catch {
            breakers.notTried(channel, now: now)
            return malformed(push, error, nil)
        }
    }

    private mutating func submit(_ request: PushRequest) -> Step {
        sent.append(request.sent)
        if let budget = request.budget { budgets[budget.device] = budget.fullAt }
        return .submit(request)
    }

    private func malformed(_ push: OutboxEntry, _ error: MalformedPush, _ delivery: Delivery?) -> Step {
        let reason = "It could not be put into the service's form: \(error.fault)."
        var settlement = Settlement(id: push.id, state: .failed, code: .malformed, reason: reason)
        settlement.level = delivery?.level.rawValue
        settlement.collapseID = delivery?.collapseID
        return .settle(settlement)
    }

    /// The result for a push that is not sent now.
    private func settle(_ push: OutboxEntry, as decision: DeliveryDecision) -> Step {
        let reason = decision.reason
        switch decision {
        case .wait(let until, _): return settle(push, .waiting, reason.code, reason.sentence, due: until)
        case .suppress where reason.code == .expired: return expired(push)
        case .digest(let due, _):
            let told = reason.sentence + " It is counted in a digest."
            var settlement = Settlement(id: push.id, state: .suppressed, code: reason.code, reason: told)
            settlement.digest = Notification(digestFor: push, due: due, now: now)
            return .settle(settlement)
        case .suppress, .send: return settle(push, PushState(reason.code), reason.code, reason.sentence)
        }
    }

    private func settle(
        _ push: OutboxEntry,
        _ state: PushState,
        _ code: PushCode,
        _ reason: String? = nil,
        due: Timestamp? = nil
    ) -> Step {
        .settle(Settlement(id: push.id, state: state, dueAt: due, code: code, reason: reason))
    }

    /// Includes the reason why the push waited.
    private func expired(_ push: OutboxEntry) -> Step {
        let waited = push.lastReason.map { " It had waited: \($0)" } ?? ""
        return settle(push, .expired, .expired, PushCode.expired.sentence + waited)
    }

    private func recent(_ push: OutboxEntry, _ notice: Notification) -> RecentDeliveries {
        let own = sent.filter { $0.device == push.device }
        let same = own.filter { $0.collapseID == notice.collapseID }
        let newer = same.filter { ($0.seq ?? 0) > notice.seq && notice.seq > 0 }.max { ($0.seq ?? 0) < ($1.seq ?? 0) }
        let hourAgo = now.adding(seconds: -3600)
        let permissions = own.filter {
            $0.machine == push.machine && $0.sentAt > hourAgo && $0.kind == NotificationKind.permission.rawValue
        }
        let inSession = own.filter { $0.sessionID != nil && $0.sessionID == notice.place.sessionID }
        return RecentDeliveries(
            budget: DeliveryBudget(fullAt: push.isTest ? nil : budgets[push.device]),
            withdrawn: push.withdrawnBecause.map(WithdrawalReason.init(stored:)),
            sameCollapseSentAt: same.map(\.sentAt).max(),
            newerSent: newer.flatMap { NotificationKind(rawValue: $0.kind) },
            newerDueAt: push.newerDueAt,
            permissionsOfMachine: permissions.count,
            sessionSentAt: inSession.map(\.sentAt).max(),
            promptWasSent: same.contains { $0.kind != NotificationKind.resolved.rawValue }
        )
    }
}

extension ResolvedPreferences {
    /// The user requested this test just now, so none of their settings delays it.
    fileprivate init(forTestWith preferences: ResolvedPreferences) {
        self.init()
        privacy = preferences.privacy
        graceSeconds = 0
    }
}

extension PushState {
    /// The state of a delivery that is not sent, from its code.
    init(_ code: PushCode) {
        self = code.states.contains(.withdrawn) ? .withdrawn : .suppressed
    }
}

extension Notification {
    /// A device has at most one waiting digest.
    fileprivate init(digestFor push: OutboxEntry, due: Timestamp, now: Timestamp) {
        let device = push.device.rawValue
        self.init(
            key: "g:\(device):\(due.microseconds)",
            kind: .digest,
            place: NotificationPlace(),
            seq: 0,
            raisedAt: now,
            notBefore: due,
            expiresAt: due.adding(seconds: NotificationKind.digest.lifetimeSeconds),
            collapseID: "g:\(device)"
        )
    }
}
