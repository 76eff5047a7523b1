import Testing
import Workers

@Suite struct BackoffTests {
    @Test func pausesDoubleUpToTheLongestAndStartOverAfterAReset() {
        var random = SystemRandomNumberGenerator()
        var backoff = Backoff(0.1...5)
        for ceiling in [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0] {
            #expect(((ceiling / 2)...ceiling).contains(backoff.next(using: &random)))
        }
        backoff.reset()
        #expect(backoff.next(using: &random) <= 0.1)
    }
}
