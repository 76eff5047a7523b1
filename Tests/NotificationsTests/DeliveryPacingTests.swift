import EventModel
import Testing

@testable import Notifications

@Suite("Delivery rules that spare people")
struct DeliveryPacingTests {
    @Test("of notices that replace each other within 10 seconds the last is sent")
    func coalescing() {
        #expect(waitsUntil(decide(notice(.permission)) { $0.recent.sameCollapseSentAt = at(5) }) == at(15))
        #expect(delivery(decide(notice(.permission)) { $0.recent.sameCollapseSentAt = at(0) }) != nil)
        #expect(waitsUntil(decide(notice(.permission)) { $0.recent.newerDueAt = at(12) }) == at(13))
        // Its own reminder is far off.
        #expect(delivery(decide(notice(.permission)) { $0.recent.newerDueAt = at(180) }) != nil)
        #expect(decide(notice(.permission)) { $0.recent.newerSent = .permission }.reason.code == .replaced)
    }

    @Test("newer ones do not hold a prompt up for ever, and another's resolution does not replace it")
    func coalescingEnds() {
        #expect(delivery(decide(notice(.permission), now: 36) { $0.recent.newerDueAt = at(37) }) != nil)
        #expect(delivery(decide(notice(.permission)) { $0.recent.newerSent = .resolved }) != nil)
        // A resolution that is behind a newer prompt must not cover it.
        #expect(decide(notice(.resolved)) { $0.recent.newerSent = .permission }.reason.code == .replaced)
    }

    @Test("notices of one session keep apart, permission does not wait")
    func sessionGap() {
        #expect(waitsUntil(decide(notice(.finished)) { $0.recent.sessionSentAt = at(0) }) == at(30))
        #expect(delivery(decide(notice(.permission)) { $0.recent.sessionSentAt = at(9) }) != nil)
        #expect(delivery(decide(notice(.finished), now: 30) { $0.recent.sessionSentAt = at(0) }) != nil)
    }

    @Test("beyond the budget statements go to a digest and prompts wait; permission may overdraw")
    func budget() {
        // 20 an hour, 5 at once: one every 180 s.
        var used = DeliveryBudget()
        var sent = 0
        while case .send(let delivery) = decide(notice(.finished), { $0.recent.budget = used }) {
            used = delivery.budget
            sent += 1
        }
        #expect(sent == 5)
        guard case .digest(let due, let reason) = decide(notice(.finished), { $0.recent.budget = used }) else {
            Issue.record("no digest")
            return
        }
        #expect(due == at(190))
        #expect(reason.code == .budget)
        #expect(waitsUntil(decide(notice(.question)) { $0.recent.budget = used }) == at(190))
        #expect(waitsUntil(decide(notice(.digest)) { $0.recent.budget = used }) == at(190))
        #expect(delivery(decide(notice(.resolved)) { $0.recent.budget = used })?.budget == used)
        var overdrawn = used
        var more = 0
        let ask = { (earlier: Int) in
            decide(notice(.permission)) { ($0.recent.budget, $0.recent.permissionsOfMachine) = (overdrawn, earlier) }
        }
        while case .send(let delivery) = ask(5), more < 20 {
            overdrawn = delivery.budget
            more += 1
        }
        #expect(more == 10)
        // The first ones of another machine need no budget.
        #expect(delivery(ask(4)) != nil)
    }

    @Test("an open breaker makes everything wait that can")
    func breaker() {
        #expect(waitsUntil(decide(notice(.finished)) { $0.recent.breakerUntil = at(100) }) == at(100))
        // Its end may come sooner, so the wait lasts to the end of the notice.
        #expect(waitsUntil(decide(notice(.permission)) { $0.recent.breakerUntil = at(700) }) == at(600))
        #expect(delivery(decide(notice(.permission)) { $0.recent.breakerUntil = at(10) }) != nil)
    }

    @Test("a digest that would be over by the end of quiet hours is told at once, or not, and never lost in waiting")
    func digestInQuietHours() {
        let hours = { (delivery: QuietHours.Delivery) in
            { (situation: inout DeliveryCase) in
                situation.preferences.quietHours = QuietHours(start: 0, end: 23 * 60, delivery: delivery)
            }
        }
        #expect(delivery(decide(notice(.digest), hours(.digest)))?.hasSound == false)
        #expect(delivery(decide(notice(.digest), hours(.silent)))?.hasSound == false)
        #expect(isSuppressed(decide(notice(.digest), hours(.none))))
    }
}
