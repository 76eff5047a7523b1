import EventModel
import Testing

@testable import Audit

@Suite("AuditTally")
struct AuditTallyTests {
    private let hour = Timestamp(microseconds: 500_000 * 3_600_000_000)

    private func refusal(
        _ action: String = "pairing.exchange",
        actor: String = "anonymous",
        object: String? = nil,
        after seconds: Double = 0
    ) -> AuditEntry {
        AuditEntry(
            at: hour.adding(seconds: seconds),
            actor: actor,
            action: action,
            object: object,
            result: "unknown",
            peer: "192.0.2.1",
            requestID: "r\(Int(seconds))"
        )
    }

    @Test("an hour of one kind is two rows that account for all")
    func twoRows() {
        var tally = AuditTally()
        var rows: [AuditEntry] = []
        for second in 0..<3600 {
            tally.note(refusal(after: Double(second)))
            rows += tally.due(now: hour.adding(seconds: Double(second)))
        }
        #expect(rows.map(\.attempts) == [1])
        rows += tally.due(now: hour.adding(seconds: 3600))
        #expect(rows.map(\.attempts) == [1, 3599])
        #expect(rows.last?.requestID == "r3599")
        #expect(tally.due(now: hour.adding(seconds: 7200)).isEmpty)
    }

    @Test("a new hour begins anew")
    func newHour() {
        var tally = AuditTally()
        tally.note(refusal())
        #expect(tally.due(now: hour).count == 1)
        #expect(tally.due(now: hour.adding(seconds: 3600)).isEmpty)
        tally.note(refusal(after: 3601))
        #expect(tally.due(now: hour.adding(seconds: 3602)).map(\.attempts) == [1])
    }

    @Test("kinds are told apart up to a bound")
    func kinds() {
        var tally = AuditTally()
        for number in 0..<10_000 {
            tally.note(refusal("apple.sign_in", actor: "apple:\(number)", object: "device:\(number)"))
        }
        let rows = tally.due(now: hour)
        #expect(rows.count == AuditTally.maximumDetailedKinds + 1)
        #expect(rows.map(\.attempts).reduce(0, +) == 10_000)
        #expect(rows.contains { $0.actor == "anonymous" && $0.object == nil })
    }

    @Test("at the end nothing is left")
    func rest() {
        var tally = AuditTally()
        for _ in 0..<3 { tally.note(refusal()) }
        #expect(tally.due(now: hour).map(\.attempts) == [3])
        tally.note(refusal(after: 5))
        #expect(tally.rest().map(\.attempts) == [1])
        #expect(tally.rest().isEmpty)
    }
}
