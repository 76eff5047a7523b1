internal import Persistence

/// SQL of the calls of tools.
enum ToolCallStatements {
    static let begin = Statement(
        "begin_tool_call",
        [
            .text, .text, .text, .int8, .text, .text, .text, .text, .text, .text, .timestamptz, .timestamptz,
        ],
        """
        INSERT INTO tool_calls (id, caller, caller_name, machine_id, session_id, server_id, server, tool, digest,
            arguments_digest, state, created_at, expires_at, touched_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'waiting', $11, $12, $11)
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
        [.text, .text, .timestamptz, .bool, .text, .text, .int8, .text],
        """
        UPDATE tool_calls SET state = $2, ended_at = $3, is_error = $4, code = $5, message = $6, result_bytes = $7,
            result = $8
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
            code = 'server_stopped', message = 'The server that cared for the call has stopped.'
        WHERE ended_at IS NULL AND touched_at < $1 RETURNING id
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

    static let caller = Statement("caller_of_tool", [.text], "SELECT caller FROM tool_calls WHERE id = $1")

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
        "UPDATE tool_calls SET result = NULL WHERE result IS NOT NULL AND ended_at < $1"
    )

    static let erase = Statement(
        "erase_tool_calls",
        """
        DELETE FROM tool_calls t WHERE EXISTS (SELECT FROM erased_sessions s
            WHERE t.machine_id = s.machine_id AND t.session_id IN (s.session_id, s.claude_id))
        """
    )

    private static let tables = "FROM tool_calls c JOIN machines m ON m.id = c.machine_id"

    private static let columns = """
        c.id, c.caller, c.caller_name, c.machine_id, m.name, c.session_id, c.server_id, c.server, c.tool, c.digest,
            c.arguments_digest, c.state, c.created_at, c.expires_at, c.started_at, c.ended_at, c.prompt_id,
            c.approved_by, c.is_error, c.code, c.message, c.result_bytes
        """
}
