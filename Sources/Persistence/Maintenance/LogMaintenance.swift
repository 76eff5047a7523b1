package import EventModel
package import Logging

/// Creates partitions ahead of the writer, returns those of past days to autovacuum, and drops those past the
/// retention, together with the ids of their events, the sessions without remaining events, and the rows derived from
/// either. Any number of nodes may run it; one at a time does the work.
package struct LogMaintenance: Sendable {
    package struct Report: Sendable, Equatable {
        /// Another node holds the maintenance lock.
        package var wasBusy = false
        package var createdPartitions = 0
        package var droppedPartitions = 0
        /// Partitions of past days that were returned to autovacuum.
        package var releasedPartitions: Int64 = 0
        package var deletedSessions = 0
    }

    /// Key of the session-level advisory lock, documented so that nothing else takes it.
    static let lockKey: Int64 = 7_305_808_842_105_971

    private let configuration: PersistenceConfiguration
    let steps: [RetentionStep]
    private let logger: Logger

    /// - Parameter steps: the retention of the features' tables, in order.
    package init(configuration: PersistenceConfiguration, steps: [RetentionStep], logger: Logger) {
        self.configuration = configuration
        self.steps = steps
        self.logger = logger
    }

    /// Blocks, on its own connection. Safe to repeat after any error.
    ///
    /// - Parameter shouldGiveUp: called a few times a second. `true` ends the run in the same way as a lost
    ///   connection.
    package func run(
        now: Timestamp,
        shouldGiveUp: @escaping () -> Bool = { false }
    ) throws(PersistenceError) -> Report {
        let connection = try PQConnection(
            configuration,
            applicationName: "claude-monitor maintenance",
            replyTimeoutMilliseconds: 600_000,
            shouldGiveUp: shouldGiveUp
        )
        // A pending lock request blocks all later requests, so the wait for it is short.
        try connection.execute("SET lock_timeout = '3s'; SET TimeZone = 'UTC'; SET jit = off", as: "set up")
        var report = Report()
        let key = Parameters(of: LogMaintenance.lockKey)
        guard try connection.query(LogMaintenance.lock, key).firstValue() == true else {
            report.wasBusy = true
            return report
        }
        let existing: [Int64] = try connection.query(LogMaintenance.days).values()
        let plan = PartitionPlan(now: now, retentionDays: configuration.retentionDays, existing: existing)
        for day in plan.missing {
            _ = try connection.query(LogMaintenance.create, Parameters(of: day))
            report.createdPartitions += 1
        }
        report.releasedPartitions = try release(now, on: connection)
        try drop(plan, on: connection, &report)
        try forget(plan.cutoff, now: now, on: connection)
        // Closing the connection also releases the lock, but only some time after this function returns.
        _ = try connection.query(LogMaintenance.unlock, key)
        if report.createdPartitions + report.droppedPartitions > 0 {
            logger.info(
                "log partitions maintained",
                metadata: ["created": "\(report.createdPartitions)", "dropped": "\(report.droppedPartitions)"]
            )
        }
        return report
    }

    private func release(_ now: Timestamp, on connection: PQConnection) throws(PersistenceError) -> Int64 {
        return try connection.query(LogMaintenance.releaseVacuum, Parameters(of: now)).firstValue() ?? 0
    }

    private func drop(
        _ plan: PartitionPlan,
        on connection: PQConnection,
        _ report: inout Report
    ) throws(PersistenceError) {
        for day in plan.expired {
            try LogMaintenance.cutSessions(losing: day, on: connection)
            _ = try connection.query(LogMaintenance.forgetIDs, Parameters(of: day))
            _ = try connection.query(LogMaintenance.drop, Parameters(of: day))
            report.droppedPartitions += 1
        }
        try LogMaintenance.cutSessions(losingBefore: plan.cutoff, on: connection)
        let purged: Int64 =
            try connection.query(LogMaintenance.purgeDefault, Parameters(of: plan.cutoff)).firstValue() ?? 0
        guard report.droppedPartitions > 0 || purged > 0 else { return }
        report.deletedSessions = try LogMaintenance.deleteSessions(on: connection)
    }
}

extension LogMaintenance {
    private static let lock = Statement("lock_maintenance", [.int8], "SELECT pg_try_advisory_lock($1)")

    private static let unlock = Statement("unlock_maintenance", [.int8], "SELECT pg_advisory_unlock($1)")

    private static let days = Statement(
        "partition_days",
        "SELECT (day - date '1970-01-01')::bigint FROM event_partition_days() AS day"
    )

    private static let create = Statement(
        "create_partition",
        [.int8],
        "SELECT create_event_partition(date '1970-01-01' + $1::integer)"
    )

    private static let releaseVacuum = Statement(
        "release_vacuum",
        [.timestamptz],
        "SELECT release_vacuum(($1 AT TIME ZONE 'UTC')::date)"
    )

    private static let forgetIDs = Statement(
        "forget_ids",
        [.int8],
        "SELECT forget_event_ids(date '1970-01-01' + $1::integer)"
    )

    private static let drop = Statement(
        "drop_partition",
        [.int8],
        "SELECT drop_event_partition(date '1970-01-01' + $1::integer)"
    )

    private static let purgeDefault = Statement("purge_default", [.timestamptz], "SELECT purge_default_partition($1)")
}
