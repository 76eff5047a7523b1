import Testing

@testable import PushGateway

@Suite("StreamBudget")
struct StreamBudgetTests {
    @Test("one stream before SETTINGS and before the token is proven")
    func begins() {
        var budget = StreamBudget(cap: 50)
        #expect(budget.room == 1)
        budget.settings(maxConcurrentStreams: 100)
        #expect(budget.room == 1)
        budget.began()
        #expect(budget.room == 0)
        budget.ended()
        budget.answered(status: 403)
        #expect(budget.room == 1)
        budget.answered(status: 400)
        #expect(budget.room == 50)
    }

    @Test("the peer's limit moves at any time, also below what is under way, and to none")
    func moves() {
        var budget = StreamBudget(cap: 50)
        budget.answered(status: 200)
        budget.settings(maxConcurrentStreams: 10)
        for _ in 0..<8 { budget.began() }
        #expect(budget.room == 2)
        budget.settings(maxConcurrentStreams: 3)
        #expect(budget.room == 0)
        budget.settings(maxConcurrentStreams: .max)
        #expect(budget.room == 42)
        budget.settings(maxConcurrentStreams: 0)
        #expect(budget.room == 0)
    }

    @Test("a refused stream makes careful, answers make bolder, SETTINGS make bold")
    func careful() {
        var budget = StreamBudget(cap: 50)
        budget.settings(maxConcurrentStreams: 20)
        budget.answered(status: 200)
        for _ in 0..<5 { budget.began() }
        budget.ended()
        budget.refused()
        #expect(budget.room == 0)
        budget.ended()
        budget.answered(status: 200)
        #expect(budget.room == 2)
        budget.settings(maxConcurrentStreams: 20)
        #expect(budget.room == 17)
    }
}
