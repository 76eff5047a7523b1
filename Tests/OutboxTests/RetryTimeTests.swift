import EventModel
import Testing

@testable import Outbox

@Suite struct RetryTimeTests {
    private let now = Timestamp(microseconds: 1_700_000_000_000_000)

    private func after(_ seconds: Double) -> Timestamp { now.adding(seconds: seconds) }

    private func time(_ wait: RetryTime.Wait, expiresAfter seconds: Double) -> Timestamp? {
        RetryTime.of(wait, expiresAt: after(seconds), now: now)
    }

    @Test func theServersOwnWaitLeavesTimeForALastAttempt() {
        #expect(time(.own(until: after(30)), expiresAfter: 60) == after(30))
        #expect(time(.own(until: after(60)), expiresAfter: 60) == after(55))
        #expect(time(.own(until: after(60)), expiresAfter: 6) == nil)
    }

    @Test func aReceiverIsNotAskedBeforeItWishes() {
        #expect(time(.asked(until: after(59)), expiresAfter: 60) == after(59))
        #expect(time(.asked(until: after(60)), expiresAfter: 60) == nil)
    }

    @Test func theWaitForAChannelEndsWithTheDelivery() {
        #expect(time(.breaker(until: after(30)), expiresAfter: 60) == after(30))
        #expect(time(.breaker(until: after(90)), expiresAfter: 60) == after(60))
        #expect(time(.breaker(until: after(90)), expiresAfter: 0) == nil)
    }

    @Test func theBackoffDoublesUpToABoundThatIsNotBelowTheFirst() {
        #expect((0...6).map { RetryTime.backOff(from: 15, retries: $0) } == [15, 30, 60, 120, 240, 300, 300])
        #expect(RetryTime.backOff(from: 900, retries: 3) == 900)
        #expect(RetryTime.backOff(from: 1, retries: -1) == 1)
        #expect(RetryTime.backOff(from: 1, retries: .max) == 300)
    }
}
