import EventModel
import PushGateway
import Testing

@testable import Notifications

@Suite struct DeliverySchedulerTests {
    private let now = PushSample.now

    private func scheduler(
        sent: [SentPush] = [],
        layers: [PushPreferenceLayer] = [],
        presence: PresenceReport = .unknown,
        topic: String? = "com.example.app"
    ) -> DeliveryScheduler {
        var claim = OutboxClaim()
        claim.sent = sent
        claim.layers = layers
        return DeliveryScheduler(
            claim: claim,
            underWay: [],
            pendingBudgets: [:],
            presence: presence,
            composer: PushComposer(topic: topic, webPushRules: nil),
            now: now
        )
    }

    private func sent(_ kind: String, collapse: String = "p:1", ago seconds: Double, seq: Int64 = 1) -> SentPush {
        SentPush(
            device: PushSample.device,
            sentAt: now.adding(seconds: -seconds),
            kind: kind,
            sessionID: "s",
            collapseID: collapse,
            seq: seq
        )
    }

    private func settled(_ push: OutboxEntry, _ scheduler: DeliveryScheduler) -> Settlement? {
        var scheduler = scheduler
        var breakers = PushBreakers()
        guard case .settle(let settlement) = scheduler.decide(push, &breakers) else { return nil }
        return settlement
    }

    @Test func whatTheRulesLetGoIsPutIntoItsServicesForm() throws {
        var scheduler = scheduler()
        var breakers = PushBreakers()
        guard case .submit(let ready) = scheduler.decide(PushSample.claimed(), &breakers),
            case .apns(let request, let environment) = ready.message
        else { throw Unexpected() }
        #expect(request.bundleID == "com.example.app" && environment == .production)
        #expect(request.id.text == PushSample.claimed().apnsID.description)
        #expect(request.deadline == now.adding(seconds: PushComposer.submissionSeconds))
        #expect(ready.delivery.level == .timeSensitive && ready.channel == "apns:production")
    }

    private struct Unexpected: Error {}

    @Test func aWithdrawnNoticeIsNotSent() {
        let push = PushSample.claimed(withdrawn: "answered_elsewhere")
        let settlement = settled(push, scheduler())
        #expect(settlement?.state == .withdrawn && settlement?.code == .answeredElsewhere)
        #expect(settlement?.reason == PushCode.answeredElsewhere.sentence)
    }

    @Test func whatCannotBePutIntoTheServicesFormFails() {
        var token = PushSample.token()
        token.content.token = "no token"
        let settlement = settled(PushSample.claimed(token: token), scheduler())
        #expect(settlement?.state == .failed && settlement?.code == .malformed)
        #expect(settlement?.reason.contains("not hexadecimal") == true)
        #expect(settlement?.level == "time-sensitive" && settlement?.collapseID == "p:1")
    }

    @Test func withoutAGoodTokenNothingIsSent() {
        #expect(settled(PushSample.claimed(token: nil), scheduler())?.state == .withdrawn)
        let aside = PushSample.claimed(token: PushSample.token(.quarantined))
        #expect(settled(aside, scheduler())?.code == .tokenQuarantined)
        #expect(settled(PushSample.claimed(), scheduler(topic: nil))?.code == .pushOff)
    }

    @Test func whatWasHandedOverTwiceIsGivenUp() {
        #expect(settled(PushSample.claimed(submissions: 1), scheduler()) == nil)
        #expect(settled(PushSample.claimed(submissions: 2), scheduler())?.code == .noAnswer)
    }

    @Test func aResolutionIsSentOnlyWhereThePromptWas() {
        let push = PushSample.claimed(PushSample.notice(.resolved, seq: 9, prompt: nil))
        #expect(settled(push, scheduler())?.code == .nothingToReplace)
        #expect(settled(push, scheduler(sent: [sent("permission", ago: 60)])) == nil)
    }

    @Test func whatWasFinishedIsReplacedWhereItWasSent() {
        let over = PushSample.claimed(PushSample.notice(.resolved, seq: 9, prompt: nil, collapse: "d:1"))
        #expect(settled(over, scheduler(sent: [sent("finished", collapse: "d:1", ago: 3 * 3600)])) == nil)
        #expect(settled(over, scheduler(sent: [sent("finished", collapse: "d:2", ago: 60)]))?.code == .nothingToReplace)
        let again = scheduler(sent: [sent("resolved", collapse: "d:1", ago: 60)])
        #expect(settled(over, again)?.code == .nothingToReplace)
        #expect(PushDispatcher.memorySeconds > NotificationKind.finished.lifetimeSeconds)
    }

    @Test func whatHasExpiredSaysWhatItWaitedFor() {
        var notice = PushSample.notice()
        notice.expiresAt = now
        var push = PushSample.claimed(notice)
        push.lastReason = "The push service was not reached: connection refused."
        let settlement = settled(push, scheduler())
        #expect(settlement?.state == .expired && settlement?.code == .expired)
        #expect(settlement?.reason.hasSuffix("connection refused.") == true)
    }

    private func payload(_ push: OutboxEntry, _ scheduler: DeliveryScheduler) throws -> [UInt8] {
        var scheduler = scheduler
        var breakers = PushBreakers()
        guard case .submit(let ready) = scheduler.decide(push, &breakers) else { throw Unexpected() }
        switch ready.message {
        case .apns(let request, _): return request.payload
        case .webPush: throw Unexpected()
        }
    }

    @Test func whatWasTooLargeIsMadeSmaller() throws {
        let layer = PushPreferenceLayer(
            scope: PushScope(.default),
            settings: Array(#"{"privacy":"plain"}"#.utf8),
            updatedAt: now
        )
        for count in [0, 10, 100, 900, 5000] {
            var notice = PushSample.notice()
            notice.details.summary = String(repeating: "x", count: count)
            var push = PushSample.claimed(notice)
            let whole = try payload(push, scheduler(layers: [layer]))
            push.isTooLarge = true
            let smaller = try payload(push, scheduler(layers: [layer]))
            #expect(smaller.count <= whole.count)
            if count >= 100 { #expect(smaller.count < whole.count) }
            #expect(count < 900 || smaller.count <= whole.count / 2)
        }
    }

    @Test func whatIsDecidedForOneCountsForTheNext() {
        var scheduler = scheduler()
        var breakers = PushBreakers()
        guard case .submit = scheduler.decide(PushSample.claimed(id: 1), &breakers) else {
            Issue.record("the first is not sent")
            return
        }
        let second = PushSample.claimed(PushSample.notice(seq: 6), id: 2)
        guard case .settle(let settlement) = scheduler.decide(second, &breakers) else {
            Issue.record("the second is sent at once")
            return
        }
        #expect(settlement.state == .waiting && settlement.code == .coalescing)
    }

    @Test func anOpenBreakerMakesItWait() {
        var scheduler = scheduler()
        var breakers = PushBreakers()
        let until = breakers.failed(PushSample.channel, cause: "x", now: now)
        guard case .settle(let settlement) = scheduler.decide(PushSample.claimed(), &breakers) else {
            Issue.record("it is sent")
            return
        }
        #expect(settlement.state == .waiting && settlement.dueAt == until && settlement.code == .breaker)
    }

    private func probe(_ kind: NewPushToken.Kind = .alert, expiresIn seconds: Double = 600) -> OutboxEntry {
        var push = PushSample.claimed()
        push.key = "canary:7:60:0"
        push.kind = DeliveryProbe.kind
        push.notification = nil
        push.expiresAt = now.adding(seconds: seconds)
        push.token?.content.kind = kind
        return push
    }

    @Test func aProbeIsUnseenAndHeldUpByNoPreference() throws {
        let layer = PushPreferenceLayer(
            scope: PushScope(.default),
            settings: Array(#"{"muted_until":"2030-01-01T00:00:00Z","budget":{"per_hour":1,"burst":1}}"#.utf8),
            updatedAt: now
        )
        var scheduler = scheduler(sent: [sent("permission", ago: 1)], layers: [layer])
        var breakers = PushBreakers()
        guard case .submit(let ready) = scheduler.decide(probe(), &breakers),
            case .apns(let request, _) = ready.message
        else { throw Unexpected() }
        #expect(request.pushType == .background && request.priority == .considerate)
        #expect(ready.budget == nil && ready.delivery.reason.code == .sent)
        #expect(!String(decoding: request.payload, as: UTF8.self).contains("alert"))
    }

    @Test func aProbeThatCannotLeaveComesToAnEnd() throws {
        #expect(settled(probe(expiresIn: -1), scheduler())?.state == .expired)
        var browser = probe(.webPush)
        browser.token?.content.token = "https://push.example/1"
        var scheduler = DeliveryScheduler(
            claim: OutboxClaim(),
            underWay: [],
            pendingBudgets: [:],
            presence: .unknown,
            composer: PushComposer(topic: "com.example.app", webPushRules: WebPushRules()),
            now: now
        )
        var breakers = PushBreakers()
        guard case .settle(let none) = scheduler.decide(browser, &breakers) else { throw Unexpected() }
        #expect(none.state == .suppressed && none.code == .noApp)
        let until = breakers.failed(PushSample.channel, cause: "x", now: now)
        guard case .settle(let held) = scheduler.decide(probe(), &breakers),
            case .settle(let late) = scheduler.decide(probe(expiresIn: 1), &breakers)
        else { throw Unexpected() }
        #expect(held.state == .waiting && held.dueAt == until && held.code == .breaker)
        #expect(late.state == .waiting && late.dueAt == now.adding(seconds: 1))
    }

    @Test func aTestNeitherNeedsNorUsesTheBudget() throws {
        var claim = OutboxClaim()
        claim.budgets = [PushSample.device: now.adding(seconds: 100_000)]
        var scheduler = DeliveryScheduler(
            claim: claim,
            underWay: [],
            pendingBudgets: [:],
            presence: .unknown,
            composer: PushComposer(topic: "t", webPushRules: nil),
            now: now
        )
        var breakers = PushBreakers()
        var notice = PushSample.notice(.question, seq: 0, prompt: nil, collapse: "test")
        notice.key = Notification.testPrefix + "1"
        guard case .submit(let ready) = scheduler.decide(PushSample.claimed(notice), &breakers)
        else { throw Unexpected() }
        #expect(ready.budget == nil)
        #expect(scheduler.budgets == claim.budgets)
    }

    @Test func aTopicOfTheAppsOwnIsAChannelOfItsOwn() {
        let composer = PushComposer(topic: "com.example.app", webPushRules: nil)
        var token = PushSample.token()
        token.content.topic = "com.example.app"
        #expect(composer.channel(of: token) == PushSample.channel)
        token.content.topic = "com.example.beta"
        #expect(composer.channel(of: token) == PushSample.channel + ":com.example.beta")
    }

    @Test func preferencesOfTheDeviceCount() {
        let layer = PushPreferenceLayer(
            scope: PushScope(.device, String(PushSample.device.rawValue)),
            settings: Array(#"{"kinds":{"permission":{"enabled":false}}}"#.utf8),
            updatedAt: now
        )
        #expect(settled(PushSample.claimed(), scheduler(layers: [layer]))?.code == .kindOff)
    }

    @Test func whatTheBudgetHoldsBackGoesIntoADigest() {
        let layer = PushPreferenceLayer(
            scope: PushScope(.default),
            settings: Array(#"{"budget":{"per_hour":1,"burst":1},"session_gap_seconds":0}"#.utf8),
            updatedAt: now
        )
        var claim = OutboxClaim()
        claim.layers = [layer]
        claim.budgets = [PushSample.device: now.adding(seconds: 3000)]
        var scheduler = DeliveryScheduler(
            claim: claim,
            underWay: [],
            pendingBudgets: [:],
            presence: .unknown,
            composer: PushComposer(topic: "t", webPushRules: nil),
            now: now
        )
        var breakers = PushBreakers()
        let push = PushSample.claimed(PushSample.notice(.error, prompt: nil, collapse: "e:1"))
        guard case .settle(let settlement) = scheduler.decide(push, &breakers) else {
            Issue.record("it is sent")
            return
        }
        #expect(settlement.state == .suppressed && settlement.digest?.kind == .digest)
        #expect((settlement.digest?.notBefore ?? now) > now)
    }
}
