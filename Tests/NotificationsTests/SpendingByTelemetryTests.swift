import EventModel
import Testing

@testable import Notifications

@Suite("Spending by telemetry")
struct SpendingByTelemetryTests {
    private static let now = Timestamp(microseconds: 1_770_000_000_000_000)

    private func event(_ seq: Int64, _ source: RequestUsage.Source, cost: Double?) -> CommittedEvent {
        var request = RequestUsage(source: source, at: Self.now, tokens: RequestTokens())
        request.costUSD = cost
        var facts = SessionFacts(detail: "api_request")
        facts.report = SessionReport()
        facts.report?.requests = [request]
        let event = MonitorEvent(
            id: EventID(high: 1, low: UInt64(seq)),
            type: .telemetry,
            hookEventName: nil,
            timestamp: Self.now,
            receivedAt: Self.now,
            machine: MachineID(rawValue: 1),
            machineName: "m",
            sessionID: "s",
            projectPath: nil,
            toolName: nil,
            summary: "",
            payload: Array("{}".utf8),
            facts: facts
        )
        return CommittedEvent(seq: seq, event: event, workspaceID: nil)
    }

    @Test("a threshold is crossed once, by the cost that telemetry tells")
    func crossing() {
        var detector = NotificationDetector(rules: DetectorRules(costThresholds: [1, 5]))
        #expect(detector.take(event(1, .otel, cost: 0.9)).isEmpty)
        #expect(detector.take(event(2, .transcript, cost: 3)).isEmpty)
        let crossed = detector.take(event(3, .otel, cost: 0.2))
        guard case .raise(let notice)? = crossed.first else {
            Issue.record("no notice was raised")
            return
        }
        #expect(crossed.count == 1 && notice.kind == .costThreshold && notice.seq == 3)
        #expect(detector.take(event(4, .otel, cost: 0.2)).isEmpty)
        #expect(detector.take(event(5, .otel, cost: nil)).isEmpty)
    }
}
