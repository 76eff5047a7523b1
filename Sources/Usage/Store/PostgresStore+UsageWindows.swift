package import EventModel
package import Persistence

extension PostgresStore {
    /// - Parameter query: only its machine, workspace and zone are used.
    package func usageWindows(
        _ query: RequestUsageQuery,
        now: Timestamp
    ) async throws(PersistenceError) -> UsageWindows {
        try await runProjected(by: UsageProjection.identity) { connection throws(PersistenceError) in
            let filters = Parameters(of: now, query.machine, query.workspaceID, query.zone.text)
            let start: Timestamp? = try connection.query(UsageWindowStatements.latestStart, filters).firstValue()
            func sum(_ span: Range<Timestamp>) throws(PersistenceError) -> UsageSum {
                let sessionID: String? = nil
                return try UsageSum.total(
                    query,
                    Parameters(
                        of: span.lowerBound,
                        span.upperBound,
                        sessionID,
                        query.machine,
                        query.workspaceID
                    ),
                    on: connection
                )
            }
            var fiveHours = UsageWindows.Window(span: UsageWindows.openWindow(beganAt: start, at: now), sum: UsageSum())
            if let span = fiveHours.span { fiveHours.sum = try sum(span) }
            let week = now.adding(seconds: -UsageWindows.weekSeconds)..<now
            return UsageWindows(at: now, fiveHours: fiveHours, sevenDays: .init(span: week, sum: try sum(week)))
        }
    }

    /// Calls of tools, the most frequent first. For a session they are counted from its events, otherwise by whole
    /// quarters of an hour of receipt.
    package func toolCalls(_ query: RequestUsageQuery, now: Timestamp) async throws(PersistenceError) -> [UsageSum] {
        guard let session = query.sessionID else {
            let from = query.from ?? Timestamp(microseconds: 0)
            let end = (query.to ?? now).adding(seconds: Timestamp.quarterSeconds - 1e-6).quarter
            var quarters = UsageQuery(from: from.quarter, to: end, by: .tool)
            (quarters.machine, quarters.workspaceID) = (query.machine, query.workspaceID)
            return try await usage(quarters).map { row in
                UsageSum(tool: row.key, calls: row.events?.toolCalls, failures: row.events?.toolFailures)
            }
        }
        return try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: session,
                query.from,
                query.to,
                query.machine,
                query.workspaceID
            )
            return try connection.query(UsageWindowStatements.toolCalls, parameters).map {
                row throws(PersistenceError) in try row.make(UsageSum.init(tool:calls:failures:))
            }
        }
    }
}

extension UsageSum {
    fileprivate init(tool: String, calls: Int64?, failures: Int64?) {
        self.init()
        key = tool
        self.calls = calls
        self.failures = failures
    }
}

private enum UsageWindowStatements {
    /// Each window begins at the full hour, by the clocks of the zone `$4`, of the first request after the previous
    /// window.
    static let latestStart = Statement(
        "usage_window_start",
        [.timestamptz, .int8, .text, .text],
        """
        WITH RECURSIVE windows (start) AS (
            SELECT \(hour(first("at <= $1 AND \(filter)")))
            UNION ALL
            SELECT \(hour(first("at <= $1 AND \(next) AND \(filter)")))
            FROM windows WHERE start IS NOT NULL
        )
        SELECT max(start) FROM windows
        """
    )

    private static let filter =
        "($2::bigint IS NULL OR machine_id = $2) AND ($3::text IS NULL OR workspace_id = $3)"

    private static let next = "at >= start + interval '5 hours'"

    private static func first(_ condition: String) -> String {
        """
        SELECT least(
            (SELECT min(at) FROM usage_requests WHERE \(condition)),
            (SELECT min(at) FROM usage_of_chats WHERE \(condition)))
        """
    }

    private static func hour(_ time: String) -> String {
        "date_trunc('hour', (\(time)), $4)"
    }

    static let toolCalls = Statement(
        "tool_calls_of_session",
        [.text, .timestamptz, .timestamptz, .int8, .text],
        """
        SELECT tool_name, count(*), count(*) FILTER (WHERE type = 'tool_failure') FROM events
        WHERE session_id = $1 AND type IN ('tool', 'tool_failure') AND tool_name IS NOT NULL
            AND ($2::timestamptz IS NULL OR received_at >= $2) AND ($3::timestamptz IS NULL OR received_at < $3)
            AND ($4::bigint IS NULL OR machine_id = $4) AND ($5::text IS NULL OR workspace_id = $5)
        GROUP BY 1 ORDER BY 2 DESC, 1
        """
    )
}
