import Testing

@testable import PushGateway

@Suite("DeliveryAttempts")
struct DeliveryAttemptsTests {
    private let answer = PushAnswer(status: 503, reason: "Shutdown")

    @Test("one loss is repeated, a second ends")
    func losses() {
        var attempts = DeliveryAttempts()
        #expect(attempts.lost(.connectionLost) == .retry)
        #expect(attempts.lost(.noAnswer) == .finish(.unknown(.noAnswer)))
    }

    @Test("what waits after a loss is unknown, not unsent")
    func waitsAfterLoss() {
        var attempts = DeliveryAttempts()
        #expect(attempts.ended(.stopped) == .unsent(.stopped))
        _ = attempts.lost(.noAnswer)
        #expect(attempts.ended(.stopped) == .unknown(.noAnswer))
        #expect(attempts.refused(limit: 0) == .finish(.unknown(.noAnswer)))
    }

    @Test("refusals are repeated up to the limit")
    func refusals() {
        var attempts = DeliveryAttempts()
        for _ in 0..<3 { #expect(attempts.refused(limit: 3) == .retry) }
        #expect(attempts.refused(limit: 3) == .finish(.unsent(.refused)))
    }

    @Test("an answer that asks for one repetition gets one")
    func answers() {
        var attempts = DeliveryAttempts()
        let reaction = PushReaction.apns(status: 503, reason: .shutdown)
        #expect(attempts.rejected(answer, reaction) == .retry)
        #expect(attempts.rejected(answer, reaction) == .finish(.rejected(answer, reaction)))
    }
}
