import Testing

@testable import monitorctl

struct BackoffTests {
    @Test func doublesFromOneToThirtySeconds() {
        var backoff = Backoff()
        #expect((0..<8).map { _ in backoff.next(random: 1) } == [1, 2, 4, 8, 16, 30, 30, 30])
        backoff.reset()
        #expect(backoff.next(random: 1) == 1)
    }

    @Test func jitterSpreadsOverTheUpperHalf() {
        var low = Backoff()
        #expect((0..<3).map { _ in low.next(random: 0) } == [0.5, 1, 2])
    }
}
