import EventModel
import Sessions

/// SQL of `SessionProjection`.
enum SessionStatements {
    /// Returns one row for each of the sessions.
    static let folds = Statement(
        "session_folds",
        [.textArray],
        """
        SELECT wanted.id, s.fold, coalesce(r.through_seq, 0)
        FROM unnest($1) AS wanted (id) LEFT JOIN sessions s ON s.id = wanted.id
        LEFT JOIN removed_sessions r ON r.session_id = wanted.id
        """
    )

    static let clear = Statement("clear_sessions", "DELETE FROM sessions WHERE NOT is_cut")

    static let upsert = Statement(
        "upsert_sessions",
        [
            .textArray, .int8Array, .textArray, .textArray, .textArray, .textArray, .timestamptzArray,
            .timestamptzArray,
            .timestamptzArray, .textArray, .textArray, .int8Array, .int8Array, .int8Array, .int8Array, .int8Array,
            .int8Array, .float8Array, .int8Array, .textArray,
        ],
        """
        INSERT INTO sessions (id, machine_id, machine_name, reported_name, workspace_id, project_path, started_at,
            last_activity_at, ended_at, state, current_model, message_count, tool_call_count, input_tokens,
            output_tokens, cache_read_tokens, cache_creation_tokens, total_cost, last_seq, fold)
        SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)
        ON CONFLICT (id) DO UPDATE SET
            (machine_id, machine_name, reported_name, workspace_id, project_path, started_at, last_activity_at,
                ended_at, state, current_model, message_count, tool_call_count, input_tokens, output_tokens,
                cache_read_tokens, cache_creation_tokens, total_cost, last_seq, fold)
            = (excluded.machine_id, excluded.machine_name, excluded.reported_name, excluded.workspace_id,
                excluded.project_path, excluded.started_at, excluded.last_activity_at, excluded.ended_at,
                excluded.state, excluded.current_model, excluded.message_count, excluded.tool_call_count,
                excluded.input_tokens, excluded.output_tokens, excluded.cache_read_tokens,
                excluded.cache_creation_tokens, excluded.total_cost, excluded.last_seq, excluded.fold)
        """
    )

    static func parameters(_ rows: [SessionRow]) -> Parameters {
        var parameters = Parameters(reserving: rows.count * 1024 + 1024)
        parameters.add(array: rows.lazy.map(\.session.id))
        parameters.add(array: rows.lazy.map(\.session.machine.rawValue))
        parameters.add(array: rows.lazy.map(\.session.machineName))
        parameters.add(array: rows.lazy.map(\.session.reportedMachineName))
        parameters.add(array: rows.lazy.map(\.session.workspaceID))
        parameters.add(array: rows.lazy.map(\.session.projectPath))
        parameters.add(array: rows.lazy.map(\.session.startedAt))
        parameters.add(array: rows.lazy.map(\.session.lastActivityAt))
        parameters.add(array: rows.lazy.map(\.session.endedAt))
        parameters.add(array: rows.lazy.map(\.session.state.rawValue))
        parameters.add(array: rows.lazy.map(\.session.currentModel))
        parameters.add(array: rows.lazy.map(\.session.messageCount))
        parameters.add(array: rows.lazy.map(\.session.toolCallCount))
        parameters.add(array: rows.lazy.map(\.session.tokenUsage.input))
        parameters.add(array: rows.lazy.map(\.session.tokenUsage.output))
        parameters.add(array: rows.lazy.map(\.session.tokenUsage.cacheRead))
        parameters.add(array: rows.lazy.map(\.session.tokenUsage.cacheCreation))
        parameters.add(array: rows.lazy.map(\.session.totalCost))
        parameters.add(array: rows.lazy.map(\.session.lastSeq))
        parameters.add(array: rows.lazy.map { TextBytes(bytes: $0.fold) })
        return parameters
    }
}
