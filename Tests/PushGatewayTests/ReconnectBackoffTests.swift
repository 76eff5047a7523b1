import Testing

@testable import PushGateway

@Suite("ReconnectBackoff")
struct ReconnectBackoffTests {
    @Test("pauses double up to the bound, with a random half, and an answer ends them")
    func pauses() {
        var random = SeededGenerator(1)
        var backoff = ReconnectBackoff(1...60)
        #expect(backoff.nextAttempt == -.infinity)
        for pause in [1.0, 2, 4, 8, 16, 32, 60, 60] {
            backoff.failed(now: 1000, using: &random)
            #expect((1000 + pause / 2...1000 + pause).contains(backoff.nextAttempt))
        }
        backoff.succeeded()
        #expect(backoff.nextAttempt == -.infinity)
        backoff.failed(now: 0, using: &random)
        #expect(backoff.nextAttempt <= 1)
    }
}
