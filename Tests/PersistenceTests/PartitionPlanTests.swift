import EventModel
import Testing

@testable import Persistence

@Suite struct PartitionPlanTests {
    private func midnight(_ day: Int64) -> Timestamp { Timestamp(microseconds: day * 86_400_000_000) }

    @Test func dayExpiresWhenItsLastEventDoes() {
        let lastMoment = Timestamp(microseconds: midnight(108).microseconds - 1)
        #expect(PartitionPlan(now: lastMoment, retentionDays: 7, existing: [100]).expired == [])
        #expect(PartitionPlan(now: midnight(108), retentionDays: 7, existing: [100]).expired == [100])
    }

    @Test func onlyMissingDaysAreMade() {
        #expect(PartitionPlan(now: midnight(100), retentionDays: 7, existing: [101]).missing == [100, 102])
    }
}
