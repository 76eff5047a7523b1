internal import EventModel
internal import Persistence

extension PostgresStore {
    /// The calls of tools in sessions, and the files that they name.
    func changeTools(
        of sessions: [String],
        since time: Timestamp?
    ) async throws(PersistenceError) -> ChangeAuthors.Tools {
        guard !sessions.isEmpty else { return ChangeAuthors.Tools() }
        return try await run { connection throws(PersistenceError) in
            var tools = ChangeAuthors.Tools()
            let parameters = Parameters(of: sessions, time ?? Timestamp(microseconds: 0))
            for row in try connection.query(ChangeStatements.tools, parameters).rows {
                let (tool, hasSucceeded, file): (String, Bool, String?) = try row.values()
                tools.take(tool, hasSucceeded: hasSucceeded, file: file)
            }
            return tools
        }
    }

    /// Other sessions of the machine that were active since a time.
    func sessions(
        on machine: MachineID,
        beside session: String,
        since time: Timestamp
    ) async throws(PersistenceError) -> [String] {
        try await runProjected { connection throws(PersistenceError) in
            var ids: [String] = []
            let parameters = Parameters(of: machine, session, time)
            for row in try connection.query(ChangeStatements.others, parameters).rows {
                let (id, _): (String, Timestamp) = try row.values()
                ids.append(id)
            }
            return ids
        }
    }

    /// Those of a machine's sessions that the log no longer has.
    ///
    /// - Parameter names: Claude Code's own ids.
    func erasedSessions(
        among names: [String],
        of machine: MachineID
    ) async throws(PersistenceError) -> [String] {
        guard !names.isEmpty else { return [] }
        let suffix = "@\(machine.rawValue)"
        // While the sessions are derived anew, none may count as erased.
        return try await runProjected { connection throws(PersistenceError) in
            let parameters = Parameters(of: names + names.map { $0 + suffix }, machine)
            var known: Set<String> = []
            for row in try connection.query(ChangeStatements.known, parameters).rows { known.insert(try row.value(0)) }
            return names.filter { !known.contains($0) && !known.contains($0 + suffix) }
        }
    }
}

private enum ChangeStatements {
    static let tools = Statement(
        "change_tools",
        [.textArray, .timestamptz],
        """
        SELECT DISTINCT tool_name, hook_event_name = 'PostToolUse',
            CASE WHEN hook_event_name = 'PostToolUse' AND tool_name IN ('Edit', 'MultiEdit', 'Write', 'NotebookEdit')
                THEN COALESCE(payload::json->'tool_input'->>'file_path',
                    payload::json->'tool_input'->>'notebook_path') END
        FROM events
        WHERE session_id = ANY ($1) AND occurred_at >= $2 AND tool_name IS NOT NULL
            AND hook_event_name IN ('PreToolUse', 'PostToolUse')
        LIMIT 50000
        """
    )

    static let others = Statement(
        "sessions_beside",
        [.int8, .text, .timestamptz],
        """
        SELECT id, last_activity_at FROM sessions
        WHERE machine_id = $1 AND id <> $2 AND last_activity_at >= $3
        ORDER BY last_activity_at DESC LIMIT 50
        """
    )

    static let known = Statement(
        "known_sessions",
        [.textArray, .int8],
        "SELECT id FROM sessions WHERE id = ANY ($1) AND machine_id = $2"
    )
}
