import EventModel

/// `event_counts`: event counts per quarter of an hour, so that daily statistics need not read the events. The days of
/// all time zones begin at a quarter.
final class EventCountProjection: FoldingProjection {
    static let name = "event_counts"

    private struct Key: Hashable {
        /// Days since 1970-01-01, UTC.
        var day: Int64
        /// The quarter of an hour of the day.
        var quarter: Int64
        var machine: MachineID
        var workspace: String
        var tool: String
    }

    private struct Counts {
        var events: Int64 = 0
        var prompts: Int64 = 0
        var toolCalls: Int64 = 0
        var toolFailures: Int64 = 0
    }

    let name: String = EventCountProjection.name
    let version: Int64 = 2
    let pacing: ProjectionPacing = .relaxed
    let tables: [String] = ["event_counts"]

    /// Counts that the next write adds to the rows.
    private var counts: [Key: Counts] = [:]
    /// A rebuild keeps the rows of earlier days, which hold the events up to `keptThrough`.
    private var firstOpenDay: Int64 = .min
    private var keptThrough: Int64 = 0

    var changedRows: Int { counts.count }

    func fold(_ events: [CommittedEvent], on connection: PQConnection) throws(PersistenceError) {
        for event in events {
            let day = PartitionPlan.day(of: event.event.receivedAt)
            if day < firstOpenDay, event.seq <= keptThrough { continue }
            let key = Key(
                day: day,
                quarter: EventCountProjection.quarter(of: event.event.receivedAt),
                machine: event.event.machine,
                workspace: event.workspaceID ?? "",
                tool: event.event.toolName ?? ""
            )
            let type = event.event.type
            counts[key, default: Counts()].events += 1
            if type == .prompt { counts[key, default: Counts()].prompts += 1 }
            if type == .tool || type == .toolFailure { counts[key, default: Counts()].toolCalls += 1 }
            if type == .toolFailure { counts[key, default: Counts()].toolFailures += 1 }
        }
    }

    private static func quarter(of time: Timestamp) -> Int64 {
        (time.quarter.microseconds - time.midnight.microseconds) / 900_000_000
    }

    func statements() -> [(Statement, Parameters)] {
        guard !counts.isEmpty else { return [] }
        let rows = counts.sorted {
            ($0.key.day, $0.key.quarter, $0.key.machine.rawValue, $0.key.workspace, $0.key.tool)
                < ($1.key.day, $1.key.quarter, $1.key.machine.rawValue, $1.key.workspace, $1.key.tool)
        }
        return [(EventCountProjection.add, Parameters(of: EventCountProjection.columns.arrays(rows)))]
    }

    func written() { counts = [:] }

    func forget() {
        counts = [:]
        (firstOpenDay, keptThrough) = (.min, 0)
    }

    /// Retrying row by row could count events twice, so all pending counts are discarded.
    func writeSingly(on connection: PQConnection) throws(PersistenceError) -> Int {
        defer { counts = [:] }
        return counts.count
    }

    func clear(through seq: Int64, on connection: PQConnection) throws(PersistenceError) {
        keptThrough = seq
        firstOpenDay = try connection.query(EventCountProjection.firstOpenDay).firstValue() ?? .min
        _ = try connection.query(EventCountProjection.clearDays, Parameters(of: max(firstOpenDay, -1_000_000)))
    }

    /// The first day from which retention has dropped no event; NULL if retention has dropped nothing.
    private static let firstOpenDay = Statement(
        "first_open_day",
        """
        SELECT (ceil(extract(epoch FROM dropped_before) / 86400))::bigint FROM log_head
        WHERE dropped_before IS NOT NULL
        """
    )

    private static let clearDays = Statement(
        "clear_event_counts",
        [.int8],
        "DELETE FROM event_counts WHERE day >= date '1970-01-01' + $1::integer"
    )

    private static let columns = RowColumns<(key: Key, value: Counts)>()
        .column("day", \.key.day).column("machine", \.key.machine).column("workspace", \.key.workspace)
        .column("tool", \.key.tool).column("events", \.value.events).column("prompts", \.value.prompts)
        .column("tool_calls", \.value.toolCalls).column("tool_failures", \.value.toolFailures)
        .column("quarter", \.key.quarter)

    private static let add = Statement(
        "add_event_counts",
        columns.types,
        """
        INSERT INTO event_counts
        SELECT date '1970-01-01' + c.day::integer, machine, workspace, tool, events, prompts, tool_calls, tool_failures,
            c.quarter::smallint
        FROM \(columns.unnest("c"))
        ON CONFLICT (day, quarter, machine_id, workspace_id, tool_name) DO UPDATE SET
            (events, prompts, tool_calls, tool_failures)
            = (event_counts.events + excluded.events, event_counts.prompts + excluded.prompts,
                event_counts.tool_calls + excluded.tool_calls, event_counts.tool_failures + excluded.tool_failures)
        """
    )
}
