import EventModel
import Testing

@testable import Devices
@testable import Notifications
@testable import Persistence

/// What a delivery that waits keeps, what ends its wait, and what is said of it.
@Suite(.serialized) struct PushWaitTests {
    private let fixture: PushFixture
    private var store: PostgresStore { fixture.store }

    init() throws { fixture = try PushFixture() }

    private func raiseOne() async throws {
        try await fixture.register(1, of: fixture.makeDevice())
        try await fixture.judge([.raise(fixture.notice("a"))])
    }

    private func hold(_ push: OutboxEntry, _ code: PushCode, until seconds: Double) async throws {
        let due = fixture.now.adding(seconds: seconds)
        var settlement = Settlement(id: push.id, state: .waiting, dueAt: due, code: code)
        settlement.isRetried = code == .retry
        settlement.isTooLarge = code == .tooLarge
        _ = try await store.settlePushes([settlement], by: PushFixture.server, now: fixture.now)
    }

    @Test func whatASuspendedChannelHeldIsDueWhenItIsWokenTheOldestFirst() async throws {
        try await fixture.register(1, of: fixture.makeDevice())
        for key in ["a", "b", "c", "d"] { try await fixture.judge([.raise(fixture.notice(key))]) }
        let claimed = try await fixture.claim(after: 6)
        // Later ones are put off for less long.
        for (index, push) in claimed.enumerated() where push.key != "d" {
            try await hold(push, .breaker, until: 300 - Double(index))
        }
        try await hold(try #require(claimed.last), .retry, until: 300)
        #expect(try await fixture.claim(after: 20).isEmpty)
        #expect(try await store.pushBacklog(now: fixture.now).heldUp == 3)
        #expect(try await store.wakePushes(now: fixture.now.adding(seconds: 20)) == 3)
        #expect(try await store.wakePushes(now: fixture.now.adding(seconds: 20)) == 0)
        var order: [String] = []
        for _ in 0..<3 { order += try await fixture.claim(after: 20, limit: 1).map(\.key) }
        #expect(order == ["a", "b", "c"])
        #expect(try await fixture.claim(after: 20).isEmpty)
    }

    @Test func aClaimTellsHowOftenItWasPutOffAndThatItWasTooLarge() async throws {
        try await raiseOne()
        for count: Int64 in 0..<4 {
            let push = try #require(try await fixture.claim(after: 6).first)
            #expect(push.retries == count && !push.isTooLarge)
            try await hold(push, .retry, until: 6)
        }
        #expect(try await store.pushBacklog(now: fixture.now).heldUp == 1)
        try await hold(try #require(try await fixture.claim(after: 6).first), .tooLarge, until: 6)
        let smaller = try #require(try await fixture.claim(after: 6).first)
        #expect(smaller.isTooLarge && smaller.retries == 4 && smaller.lastReason == PushCode.tooLarge.sentence)
        try await hold(smaller, .coalescing, until: 6)
        #expect(try await fixture.claim(after: 6).first?.isTooLarge == true)
    }

    /// Each way to withdraw what waits, with the sentence of a wait in its row.
    @Test func whatIsWithdrawnHasTheSentenceOfItsWithdrawal() async throws {
        let ways: [(PushCode, (DeviceID) async throws -> Void)] = [
            (
                .turnWentOn,
                { [fixture] _ in
                    let because = WithdrawalReason.turnWentOn
                    try await fixture.judge([.withdraw(promptKey: "p", because: because, resolution: nil)])
                }
            ),
            (
                .tokenRemoved,
                { [fixture] in
                    _ = try await fixture.store.removePushTokens(of: $0, id: nil, now: fixture.now)
                }
            ),
            (
                .tokenRemoved,
                { [fixture] _ in
                    let later = fixture.now.adding(seconds: 10)
                    let now = fixture.now
                    _ = try await fixture.store.trimPushes(decided: now, silent: now, stale: later, now: later)
                }
            ),
            (.deviceRevoked, { [fixture] in _ = try await fixture.store.revokeDevice($0, now: fixture.now) }),
        ]
        for (number, (code, withdraw)) in ways.enumerated() {
            let device = try await fixture.makeDevice()
            try await fixture.register(UInt8(number + 1), of: device)
            try await fixture.judge([.raise(fixture.notice("n\(number)", prompt: "p"))])
            let push = try #require(try await fixture.claim(after: 6).first { $0.device == device })
            try await hold(push, .grace, until: 60)
            try await withdraw(device)
            let decision = try #require(try await store.pushHistory(ofPush: push.apnsID).first?.decisions.first)
            #expect(decision.state == .withdrawn, "\(code)")
            #expect(decision.code == code.rawValue && decision.reason == code.sentence)
        }
    }

    @Test func whatIsUnderWayOrWasNotLookedAtYetSaysSo() async throws {
        try await raiseOne()
        func decision() async throws -> PushDecision? {
            try await store.pushHistory(latest: 1).first?.decisions.first
        }
        #expect(try await decision()?.code == "not_yet_due")
        let push = try #require(try await fixture.claim(after: 6).first)
        try await hold(push, .grace, until: 6)
        #expect(try await decision()?.reason == PushCode.grace.sentence)
        _ = try await fixture.claim(after: 6)
        #expect(try await decision()?.code == "sending")
        #expect(try await decision()?.reason == PushCode.sending.sentence)
    }
}
