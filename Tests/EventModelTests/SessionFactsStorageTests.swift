import EventModel
import Testing

@Suite struct SessionFactsStorageTests {
    @Test func noFactsTakeNoRoom() {
        #expect(SessionFacts().stored() == nil)
    }

    @Test func everyFactComesBack() throws {
        let facts = SessionFacts(
            toolUseID: "toolu_\u{1}\"",
            toolInputHash: .max,
            agentID: "agent",
            agentType: "",
            permissionMode: "plan",
            model: "opus",
            title: "Ünï 🙂",
            detail: "other",
            promptIsInjected: true,
            usage: TokenUsage(input: 1, output: 2, cacheRead: 3, cacheCreation: TokenUsage.maximum),
            costUSD: 0.125
        )
        #expect(SessionFacts(stored: try #require(facts.stored())) == facts)
        var shown = SessionFacts()
        shown.shownWhole = [.summary, .payload]
        #expect(SessionFacts(stored: try #require(shown.stored())) == shown)
        let whole = SessionFacts(costUSD: 2)
        #expect(SessionFacts(stored: try #require(whole.stored())) == whole)
    }

    @Test func telemetrysNumbersComeBack() throws {
        var facts = SessionFacts(detail: "api_request")
        var report = SessionReport()
        let since = Timestamp(microseconds: 7)
        report.numbers = RecordNumbers(first: 3, last: 9, since: since, until: since.adding(seconds: 1), isStart: true)
        facts.report = report
        #expect(SessionFacts(stored: try #require(facts.stored())) == facts)
    }

    @Test func anythingElseIsNoFact() {
        for text in ["", "[]", "{\"use\":1,\"tokens\":[1],\"cost\":\"x\",\"input\":\"zz\"}"] {
            #expect(SessionFacts(stored: Array(text.utf8)) == SessionFacts())
        }
    }
}
