import EventModel

/// Which daily partitions should exist. Days count from 1970-01-01, UTC.
struct PartitionPlan: Equatable {
    /// How many days ahead partitions are created.
    static let daysAhead: Int64 = 2
    private static let dayMicroseconds: Int64 = 86_400_000_000

    let missing: [Int64]
    /// Days whose events are all older than the retention.
    let expired: [Int64]
    /// Events received before this are older than the retention.
    let cutoff: Timestamp

    init(now: Timestamp, retentionDays: Int, existing: [Int64]) {
        let today = PartitionPlan.day(of: now)
        let cutoff = Timestamp(microseconds: now.microseconds - Int64(retentionDays) * PartitionPlan.dayMicroseconds)
        let firstKept = PartitionPlan.day(of: cutoff)
        self.cutoff = cutoff
        missing = (today...(today + PartitionPlan.daysAhead)).filter { !existing.contains($0) }
        expired = existing.filter { $0 < firstKept }.sorted()
    }

    static func day(of time: Timestamp) -> Int64 {
        let microseconds = time.microseconds
        let day = microseconds / dayMicroseconds
        return microseconds % dayMicroseconds < 0 ? day - 1 : day
    }
}
