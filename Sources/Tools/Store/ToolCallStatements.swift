internal import Persistence

/// SQL of the calls of tools.
enum ToolCallStatements {
    static let begin = Statement(
        "begin_tool_call",
        [
            .text, .text, .text, .int8, .text, .text, .text, .text, .text, .text, .timestamptz, .timestamptz, .text,
            .text, .text,
        ],
        """
        INSERT INTO tool_calls (id, caller, caller_name, machine_id, session_id, server_id, server, tool, digest,
            arguments_digest, state, created_at, expires_at, touched_at, project_path, idempotency_key, request_digest)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'waiting', $11, $12, $11, $13, $14, $15)
        ON CONFLICT DO NOTHING RETURNING id
        """
    )

    /// Counts once: a call that another server has given up does not start.
    static let start = Statement(
        "start_tool_call",
        [.text, .text, .text, .timestamptz],
        """
        UPDATE tool_calls SET state = 'running', prompt_id = $2, approved_by = $3, started_at = $4, touched_at = $4
        WHERE id = $1 AND state = 'waiting' AND expires_at > $4 RETURNING id
        """
    )

    /// What is known later counts, also if another server has given the call up.
    static let end = Statement(
        "end_tool_call",
        [.text, .text, .timestamptz, .bool, .text, .text, .int8, .text, .int8],
        """
        UPDATE tool_calls SET state = $2, ended_at = $3, is_error = $4, code = $5, message = $6, result_bytes = $7,
            result = $8, status = $9
        WHERE id = $1 AND state IN ('waiting', 'running', 'unknown')
        """
    )

    static let keepResult = Statement(
        "keep_tool_result",
        [.text, .text],
        "UPDATE tool_calls SET result = $2 WHERE id = $1"
    )

    static let touch = Statement(
        "touch_tool_calls",
        [.textArray, .timestamptz],
        "UPDATE tool_calls SET touched_at = $2 WHERE id = ANY ($1) AND ended_at IS NULL"
    )

    static let lose = Statement(
        "lose_tool_calls",
        [.timestamptz, .timestamptz],
        """
        UPDATE tool_calls SET state = CASE state WHEN 'running' THEN 'unknown' ELSE 'expired' END, ended_at = $2,
            code = 'server_stopped', message = 'The server that cared for the call has stopped.', status = 503
        WHERE ended_at IS NULL AND touched_at < $1 RETURNING id
        """
    )

    static let noteWait = Statement(
        "note_wait_for_tool_call",
        [.text, .timestamptz],
        "UPDATE tool_calls SET awaited_at = greatest(awaited_at, $2) WHERE id = $1 AND ended_at IS NULL"
    )

    static let abandon = Statement(
        "abandon_tool_call",
        [.text, .timestamptz, .timestamptz],
        """
        UPDATE tool_calls SET state = 'expired', ended_at = $3, code = 'caller_gone', status = 403,
            message = 'The caller has gone before somebody approved the call. The tool did not run.'
        WHERE id = $1 AND state = 'waiting' AND (awaited_at IS NULL OR awaited_at <= $2) RETURNING id
        """
    )

    static let byKey = Statement(
        "tool_call_by_key",
        [.text, .text],
        """
        SELECT \(columns), c.result, c.request_digest \(tables) WHERE c.caller = $1 AND c.idempotency_key = $2
        """
    )

    static let one = Statement(
        "tool_call",
        [.text],
        "SELECT \(columns), c.result \(tables) WHERE c.id = $1"
    )

    static let page = Statement(
        "tool_calls",
        [.int8, .text, .text, .text, .timestamptz, .text, .int8],
        """
        SELECT \(columns), NULL::text \(tables)
        WHERE ($1::int8 IS NULL OR c.machine_id = $1) AND ($2::text IS NULL OR c.session_id = $2)
            AND ($3::text IS NULL OR c.caller = $3) AND ($4::text IS NULL OR c.state = $4)
            AND ($5::timestamptz IS NULL OR (c.created_at, c.id) < ($5, $6))
        ORDER BY c.created_at DESC, c.id DESC LIMIT $7
        """
    )

    static let callers = Statement(
        "callers_of_tools",
        [.textArray],
        "SELECT id, caller, caller_name FROM tool_calls WHERE id = ANY ($1)"
    )

    static let forget = Statement(
        "forget_tool_calls",
        [.timestamptz],
        "DELETE FROM tool_calls WHERE created_at < $1"
    )

    /// Calls that the machine refused before anybody was asked.
    static let forgetRefused = Statement(
        "forget_refused_tool_calls",
        [.timestamptz],
        "DELETE FROM tool_calls WHERE state = 'refused' AND started_at IS NULL AND created_at < $1"
    )

    static let forgetResults = Statement(
        "forget_tool_results",
        [.timestamptz],
        """
        UPDATE tool_calls SET result = NULL
        WHERE result IS NOT NULL AND ended_at < $1 AND idempotency_key IS NULL
        """
    )

    /// A key may be used anew after that.
    static let forgetKeys = Statement(
        "forget_tool_keys",
        [.timestamptz],
        """
        UPDATE tool_calls SET result = NULL, idempotency_key = NULL
        WHERE idempotency_key IS NOT NULL AND created_at < $1
        """
    )

    static let erase = Statement(
        "erase_tool_calls",
        """
        DELETE FROM tool_calls t WHERE EXISTS (SELECT FROM erased_sessions s
            WHERE t.machine_id = s.machine_id AND t.session_id IN (s.session_id, s.claude_id))
            OR EXISTS (SELECT FROM erased_scope c LEFT JOIN workspaces w ON w.id = c.workspace_id
                WHERE t.machine_id = c.machine_id OR t.machine_id = w.machine_id AND t.project_path = w.path)
        """
    )

    private static let tables = "FROM tool_calls c JOIN machines m ON m.id = c.machine_id"

    private static let columns = """
        c.id, c.caller, c.caller_name, c.machine_id, m.name, c.session_id, c.project_path, c.server_id, c.server,
            c.tool, c.digest, c.arguments_digest, c.state, c.created_at, c.expires_at, c.started_at, c.ended_at,
            c.prompt_id, c.approved_by, c.is_error, c.code, c.message, c.status, c.result_bytes
        """
}
