import EventModel
import Testing

@testable import Usage

private func event(_ seq: Int64, session: String = "s") -> CommittedEvent {
    let event = MonitorEvent(
        id: EventID(high: 1, low: UInt64(seq)),
        type: .telemetry,
        hookEventName: nil,
        timestamp: Timestamp(microseconds: seq),
        receivedAt: Timestamp(microseconds: seq),
        machine: MachineID(rawValue: 1),
        machineName: "m",
        sessionID: session,
        projectPath: nil,
        toolName: nil,
        summary: "",
        payload: [],
        facts: SessionFacts()
    )
    return CommittedEvent(seq: seq, event: event, workspaceID: nil)
}

private func reading(
    _ source: RequestUsage.Source,
    output: Int64,
    seq: Int64,
    cost: Double? = nil,
    id: String? = "r"
) -> RequestReading {
    var usage = RequestUsage(
        source: source,
        at: Timestamp(microseconds: 1_795_232_571_000_000),
        tokens: RequestTokens(input: 10, output: output)
    )
    usage.requestID = id
    usage.messageID = source == .transcript ? "msg" : nil
    usage.answer = source == .otel ? "\(seq)" : nil
    usage.model = "claude-sonnet-5"
    usage.costUSD = cost
    return RequestReading.all(usage, of: event(seq), prices: .standard)[0]
}

@Suite("Requests")
struct RequestReadingTests {
    @Test("readings give the same row in every order, however often each comes")
    func order() {
        let all = [
            reading(.transcript, output: 1, seq: 1), reading(.transcript, output: 42, seq: 2),
            reading(.transcript, output: 42, seq: 3), reading(.transcript, output: 7, seq: 4),
        ]
        var random = SystemRandomNumberGenerator()
        var rows: Set<String> = []
        for _ in 0..<200 {
            var row: RequestReading?
            for one in (all + all).shuffled(using: &random) {
                if row == nil { row = one } else { row?.merge(one) }
            }
            rows.insert("\(String(describing: row))")
        }
        #expect(rows.count == 1)
    }

    @Test("telemetry's cost is taken as stated, and that of a transcript computed")
    func costs() {
        let told = reading(.otel, output: 42, seq: 2, cost: 0.5)
        #expect(told.cost == 0.5 && told.otelCost == 0.5 && told.transcriptCost == nil && told.sources == 1)
        let read = reading(.transcript, output: 42, seq: 2, cost: 0.5)
        #expect(read.cost < 0.001 && read.transcriptCost == read.cost && read.otelCost == nil && read.sources == 2)
    }

    @Test("early blocks of an answer with fewer tokens count for nothing")
    func blocks() {
        var row = reading(.transcript, output: 42, seq: 1)
        row.merge(reading(.transcript, output: 1, seq: 2))
        #expect(row.usage.tokens.output == 42)
    }

    @Test("a row is of one answer or one record, whatever ids it has")
    func keys() {
        #expect(reading(.otel, output: 1, seq: 1).key == "r:r :s 1 10-1-0-0")
        #expect(reading(.otel, output: 1, seq: 1).key != reading(.otel, output: 1, seq: 2).key)
        #expect(reading(.transcript, output: 1, seq: 1).key == "r:r msg")
        #expect(reading(.transcript, output: 1, seq: 1, id: nil).key == "m:s msg")
        #expect(reading(.otel, output: 1, seq: 1, id: nil).key != reading(.otel, output: 1, seq: 2, id: nil).key)
    }

    @Test("answers of two sessions or agents with the same ids are two if their prompts differ, and a copy is the same")
    func apart() {
        var reading = reading(.transcript, output: 1, seq: 1)
        #expect(reading.apart.key == "r:r msg s")
        for (session, agent) in [("another", nil), ("s", "a1"), ("another", "a1")] {
            func known(_ prompt: Int64) -> KnownAnswer {
                KnownAnswer(sessionID: session, agentID: agent, prompt: prompt)
            }
            #expect(reading.answered.isOther(than: known(99)))
            #expect(!reading.answered.isOther(than: known(10)) && !reading.answered.isOther(than: known(0)))
        }
        #expect(!reading.answered.isOther(than: KnownAnswer(sessionID: "s", agentID: nil, prompt: 99)))
        reading.usage.agentID = "a1"
        #expect(reading.apart.key == "r:r msg s a1")
    }

    @Test("a model that advised has a row of its own, with its own price")
    func advice() {
        var usage = RequestUsage(
            source: .transcript,
            at: Timestamp(microseconds: 1),
            tokens: RequestTokens(output: 100)
        )
        (usage.requestID, usage.messageID, usage.model, usage.speed) = ("r", "msg", "claude-opus-4-7", "fast")
        usage.advice = [
            AdviceUsage(model: "claude-opus-4-7", tokens: RequestTokens(input: 100_000, output: 4000)),
            AdviceUsage(model: "claude-nobody-1", tokens: RequestTokens(input: 1000)),
        ]
        let rows = RequestReading.all(usage, of: event(1), prices: .standard)
        #expect(rows.map(\.key) == ["r:r msg", "r:r msg +1", "r:r msg +2"])
        #expect(rows.map(\.advises) == [nil, "r:r msg", "r:r msg"])
        #expect(abs(rows[1].cost - 0.6) < 1e-12 && rows.map(\.isUnpriced) == [false, false, true])
        #expect(abs((rows[0].adviceCost ?? 0) - 0.604) < 1e-12 && abs(rows[0].cost - 0.015) < 1e-12)
    }
}

@Suite("Session totals")
struct SessionTotalsTests {
    private func totals(
        _ sources: Int64,
        cost: Double = 1,
        stated: Double? = nil,
        onlyTranscript: Int64 = 0
    ) -> SessionTotals {
        var totals = SessionTotals()
        totals.requests = 1
        totals.tokens = RequestTokens(input: 10)
        totals.cost = cost
        totals.sources = sources
        totals.onlyTranscript = onlyTranscript
        totals.lastAt = Timestamp(microseconds: 10)
        totals.stated = stated.map { SessionCost(costUSD: $0, tokens: RequestTokens(input: 10), until: totals.lastAt) }
        return totals
    }

    @Test("one source alone is a lower bound, until the client has sent everything or says the same")
    func confidence() {
        #expect(totals(1).usage(endedInOrder: false).confidence == .lowerBound)
        #expect(totals(1).usage(endedInOrder: true).confidence == .exact)
        #expect(totals(2).usage(endedInOrder: true).confidence == .lowerBound)
        #expect(totals(2, stated: 1).usage(endedInOrder: false).confidence == .exact)
        #expect(totals(3).usage(endedInOrder: false).confidence == .exact)
        #expect(totals(3).usage(endedInOrder: false, wasLost: true).confidence == .lowerBound)
        #expect(totals(3, stated: 1).usage(endedInOrder: false, wasLost: true).confidence == .exact)
        #expect(totals(3, onlyTranscript: 1).usage(endedInOrder: true).confidence == .lowerBound)
    }

    @Test("lost telemetry is a lower bound, unless the client says the same")
    func lostTelemetry() {
        for source: Int64 in [1, 3] {
            for change: (inout SessionTotals) -> Void in [{ $0.lostRecords = 1 }, { $0.isCutOff = true }] {
                var cut = totals(source)
                change(&cut)
                #expect(cut.usage(endedInOrder: true).confidence == .lowerBound)
                var stated = totals(source, stated: 1)
                change(&stated)
                #expect(stated.usage(endedInOrder: true).confidence == .exact)
            }
        }
    }

    @Test("what telemetry and transcripts disagree about is shown")
    func sourcesDiffer() {
        var differing = totals(3)
        (differing.costByTelemetry, differing.costByTranscript) = (1, 0.9)
        #expect(differing.usage(endedInOrder: true).difference.map { abs($0 - 0.1) < 1e-9 } == true)
    }

    @Test("the client's own sum counts where it is higher, and the difference is shown")
    func stated() {
        let usage = totals(2, cost: 0.9, stated: 1).usage(endedInOrder: true)
        #expect(usage.cost == 1 && usage.source == .costState && usage.confidence == .exact)
        #expect(usage.difference.map { abs($0 - 0.1) < 1e-9 } == true)
        #expect(totals(2, cost: 0.999, stated: 1).usage(endedInOrder: true).difference == nil)
        #expect(totals(3, cost: 1.5, stated: 1).usage(endedInOrder: true).cost == 1.5)
    }

    @Test("nothing is none")
    func none() {
        #expect(SessionTotals().usage(endedInOrder: true) == SessionUsage())
    }
}

@Suite("Prices")
struct PriceListTests {
    private func cost(_ model: String?, _ tokens: RequestTokens, _ change: (inout RequestUsage) -> Void = { _ in })
        -> RequestCost
    {
        var request = RequestUsage(source: .otel, at: Timestamp(microseconds: 1_795_232_571_000_000), tokens: tokens)
        request.model = model
        change(&request)
        return RequestCost(request, by: .standard)
    }

    @Test("five rates, as the client charges them")
    func rates() {
        let tokens = RequestTokens(input: 12, output: 42, cacheRead: 678, cacheWrite5m: 345)
        #expect(abs(cost("claude-sonnet-5", tokens).dollars - 0.0014421) < 1e-12)
        let hour = cost("claude-sonnet-5", RequestTokens(cacheWrite1h: 1_000_000))
        #expect(hour.dollars == 4)
    }

    @Test("a long prompt is charged at the higher tier as a whole")
    func tiers() {
        #expect(cost("haiku", RequestTokens(input: 100_000)).dollars == 0.01)
        #expect(abs(cost("haiku", RequestTokens(input: 100_001)).dollars - 0.0500005) < 1e-12)
        #expect(abs(cost("haiku", RequestTokens(input: 1, cacheRead: 100_000)).dollars - 0.0050005) < 1e-12)
    }

    @Test("modifiers")
    func modifiers() {
        let tokens = RequestTokens(input: 1_000_000)
        #expect(abs(cost("sonnet", tokens) { $0.geography = "us" }.dollars - 2.2) < 1e-9)
        #expect(abs(cost("sonnet", RequestTokens()) { $0.webSearches = 3 }.dollars - 0.03) < 1e-12)
    }

    @Test(
        "providers' names",
        arguments: [
            "us.anthropic.claude-sonnet-5-v1:0", "claude-sonnet-5@20260101", "claude-sonnet-5[1m]",
            "claude-sonnet-5-20260101",
        ]
    )
    func names(_ name: String) {
        #expect(PriceList.standard.model(name)?.id == "claude-sonnet-5")
    }

    @Test("prices that were checked more than 60 days ago are old")
    func age() throws {
        let list = PriceList(models: [], source: "", day: "2026-09-01")
        #expect(!list.isOld(at: try #require(Timestamp(rfc3339: "2026-10-31T23:00:00Z"))))
        #expect(list.isOld(at: try #require(Timestamp(rfc3339: "2026-11-01T01:00:00Z"))))
    }
}
