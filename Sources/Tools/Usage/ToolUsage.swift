internal import EventModel
internal import JSON
internal import Persistence

/// The calls of one tool, or of one server's tools, in a time.
struct ToolUsage: Sendable {
    var serverID: String
    var server: String
    var machineName: String
    /// `nil` for all tools of the server.
    var tool: String?
    var calls: Int64
    /// The tool has answered, and not that it failed.
    var succeeded: Int64
    /// The tool has answered that it failed.
    var failed: Int64
    /// Did not run: denied, expired or refused.
    var stopped: Int64
    var unknown: Int64
    /// Milliseconds of the calls that ran, on average and at most; `nil` if none did.
    var averageMilliseconds: Int64?
    var mostMilliseconds: Int64?
    var resultBytes: Int64
    var lastAt: Timestamp
}

extension ToolUsage: PGColumn {
    static var columnCount: Int { 13 }

    init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        (
            serverID, server, machineName, tool, calls, succeeded, failed, stopped, unknown, averageMilliseconds,
            mostMilliseconds, resultBytes, lastAt
        ) = try row.values(from: column)
    }

    static let shape = ObjectShape<ToolUsage>("ToolUsage") { it in
        it.member("server_id") { $0.serverID }
        it.member("server") { $0.server }
        it.memberOrNull("machine_id") { $0.machineName.isEmpty ? nil : $0.machineName }
        it.member("tool") { usage in usage.tool.map { "\(usage.server).\($0)" } }
        it.member("calls") { $0.calls }
        it.member("succeeded") { $0.succeeded }
        it.member("failed") { $0.failed }
        it.member("not_run") { $0.stopped }
        it.member("unknown") { $0.unknown }
        it.member("duration_ms_average") { $0.averageMilliseconds }
        it.member("duration_ms_max") { $0.mostMilliseconds }
        it.member("result_bytes") { $0.resultBytes }
        it.member("last_call_at") { $0.lastAt }
    }
}

extension PostgresStore {
    func toolUsage(
        from: Timestamp?,
        to: Timestamp?,
        on machine: MachineID?,
        byTool: Bool
    ) async throws(PersistenceError) -> [ToolUsage] {
        try await run { connection throws(PersistenceError) in
            try connection.query(ToolUsageStatements.sums, Parameters(of: from, to, machine, byTool)).values()
        }
    }
}

enum ToolUsageStatements {
    static let sums = Statement(
        "tool_usage",
        [.timestamptz, .timestamptz, .int8, .bool],
        """
        SELECT c.server_id, c.server, m.name, c.shown, count(*),
            count(*) FILTER (WHERE c.state = 'completed' AND NOT coalesce(c.is_error, false)),
            count(*) FILTER (WHERE c.state = 'completed' AND c.is_error),
            count(*) FILTER (WHERE c.state IN ('denied', 'expired', 'refused')),
            count(*) FILTER (WHERE c.state = 'unknown'),
            round(avg(c.ms))::int8, max(c.ms), coalesce(sum(c.result_bytes), 0)::int8, max(c.created_at)
        FROM (SELECT *, CASE WHEN $4 THEN tool END AS shown, CASE WHEN state = 'completed'
                THEN round(extract(epoch FROM ended_at - started_at) * 1000)::int8 END AS ms
            FROM tool_calls
            WHERE ($1::timestamptz IS NULL OR created_at >= $1) AND ($2::timestamptz IS NULL OR created_at < $2)
                AND ($3::int8 IS NULL OR machine_id = $3)) c
            JOIN machines m ON m.id = c.machine_id
        GROUP BY c.server_id, c.server, m.name, c.shown
        ORDER BY count(*) DESC, c.server, c.shown, c.server_id LIMIT 2000
        """
    )
}
