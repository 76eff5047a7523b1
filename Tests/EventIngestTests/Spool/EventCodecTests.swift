import EventModel
import Testing

@testable import EventIngest

@Suite("EventCodec")
struct EventCodecTests {
    @Test("every field of an event comes back")
    func roundTrip() {
        var random = SplitMix(state: 7)
        for _ in 0..<2000 {
            let event = Samples.random(&random)
            #expect(EventCodec.decode(EventCodec.encode(event)[...]) == event)
        }
    }

    @Test("another version, missing and extra bytes are told")
    func malformed() {
        let bytes = EventCodec.encode(Samples.event(1))
        for length in 0..<bytes.count { #expect(EventCodec.decode(bytes[..<length]) == nil) }
        #expect(EventCodec.decode((bytes + [0])[...]) == nil)
        #expect(EventCodec.decode(([9] + bytes.dropFirst())[...]) == nil)
    }

    @Test("a record of an earlier layout lacks the fields that were added at its end")
    func earlierLayouts() {
        var event = Samples.event(1)
        event.reportedMachineName = nil
        let fields = EventCodec.encode(event).dropFirst()
        for layout in [UInt8(1), 2, 3, 4, 5, 6, 7] {
            #expect(EventCodec.decode(([layout] + fields.dropLast(8 - Int(layout)))[...]) == event)
        }
    }

    @Test("what telemetry and transcripts report comes back")
    func reports() {
        var event = Samples.event(1)
        var request = RequestUsage(
            source: .otel,
            at: Timestamp(microseconds: 1_770_000_000_000_001),
            tokens: RequestTokens(input: 1, output: 2, cacheRead: 3, cacheWrite5m: 4, cacheWrite1h: 5)
        )
        (request.requestID, request.messageID, request.model) = ("req_1", "msg_1", "claude-opus-5-5")
        (request.costUSD, request.querySource, request.turnID, request.agentID) = (0.0014421, "main", "t", "a")
        (request.speed, request.serviceTier, request.geography, request.webSearches) = ("fast", "batch", "us", 2)
        var report = SessionReport()
        report.requests = [request, RequestUsage(source: .transcript, at: request.at, tokens: RequestTokens())]
        report.cost = SessionCost(costUSD: 1.25, tokens: request.tokens, until: request.at)
        (report.gitBranch, report.since, report.isActivity) = ("main", request.at, true)
        (event.facts.report, event.facts.risk, event.facts.isSilent) = (report, .delete, true)
        event.facts.shownWhole = [.payload]
        #expect(EventCodec.decode(EventCodec.encode(event)[...]) == event)
        #expect(SessionFacts(stored: event.facts.stored() ?? []) == event.facts)
    }
}
