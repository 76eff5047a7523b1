import Testing
import Workers

@Suite struct BackoffTests {
    @Test func withoutRandomnessEachPauseIsTwiceTheLast() {
        var backoff = Backoff(1...30)
        #expect((0..<7).map { _ in backoff.next() } == [1, 2, 4, 8, 16, 30, 30])
        backoff.reset()
        #expect(backoff.next() == 1)
        #expect(backoff != Backoff(1...30))
    }

    @Test func randomPausesDoubleUpToTheLongestAndStartOverAfterAReset() {
        var random = SystemRandomNumberGenerator()
        var backoff = Backoff(0.1...5)
        for ceiling in [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0] {
            #expect(((ceiling / 2)...ceiling).contains(backoff.next(using: &random)))
        }
        backoff.reset()
        #expect(backoff.next(using: &random) <= 0.1)
    }
}
