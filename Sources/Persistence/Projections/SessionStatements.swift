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

    static let columns = RowColumns<SessionRow>()
        .column("id", \.session.id).column("machine_id", \.session.machine)
        .column("machine_name", \.session.machineName).column("reported_name", \.session.reportedMachineName)
        .column("workspace_id", \.session.workspaceID).column("project_path", \.session.projectPath)
        .column("started_at", \.session.startedAt).column("last_activity_at", \.session.lastActivityAt)
        .column("ended_at", \.session.endedAt).column("state", \.session.state)
        .column("current_model", \.session.currentModel).column("message_count", \.session.messageCount)
        .column("tool_call_count", \.session.toolCallCount)
        .column("input_tokens", \.session.tokenUsage.input).column("output_tokens", \.session.tokenUsage.output)
        .column("cache_read_tokens", \.session.tokenUsage.cacheRead)
        .column("cache_creation_tokens", \.session.tokenUsage.cacheCreation)
        .column("total_cost", \.session.totalCost).column("last_seq", \.session.lastSeq)
        .column("title", \.session.title).column("is_pinned", \.session.isPinned)
        .column("is_archived", \.session.isArchived)
        .column("fold") { TextBytes(bytes: $0.fold) }

    static let upsert = Statement(
        "upsert_sessions",
        columns.types,
        """
        INSERT INTO sessions (\(columns.names)) SELECT * FROM \(columns.unnest("s"))
        ON CONFLICT (id) DO UPDATE SET
            (machine_id, machine_name, reported_name, workspace_id, project_path, started_at, last_activity_at,
                ended_at, state, current_model, message_count, tool_call_count, input_tokens, output_tokens,
                cache_read_tokens, cache_creation_tokens, total_cost, last_seq, title, is_pinned, is_archived, fold)
            = (excluded.machine_id, excluded.machine_name, excluded.reported_name, excluded.workspace_id,
                excluded.project_path, excluded.started_at, excluded.last_activity_at, excluded.ended_at,
                excluded.state, excluded.current_model, excluded.message_count, excluded.tool_call_count,
                excluded.input_tokens, excluded.output_tokens, excluded.cache_read_tokens,
                excluded.cache_creation_tokens, excluded.total_cost, excluded.last_seq, excluded.title,
                excluded.is_pinned, excluded.is_archived, excluded.fold)
        """
    )
}
