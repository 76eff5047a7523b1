internal import EventModel
internal import Persistence

/// SQL of the projection `usage`.
enum UsageProjectionStatements {
    static let known = Statement(
        "known_usage_requests",
        [.textArray],
        // One look into the index for each key. For `= ANY` of many keys PostgreSQL may read the whole table.
        """
        SELECT key, message_id FROM unnest($1) AS wanted (key) CROSS JOIN LATERAL (
            SELECT u.message_id FROM usage_requests u WHERE u.key = wanted.key LIMIT 1) AS found
        WHERE message_id IS NOT NULL
        """
    )

    /// The keys of the rows must be distinct. Merges as `RequestReading.merge` does.
    static let upsertRequests = Statement(
        "upsert_usage_requests",
        [
            .textArray, .textArray, .int8Array, .textArray, .textArray, .textArray, .textArray, .textArray, .textArray,
            .textArray, .timestamptzArray, .int8Array, .int8Array, .int8Array, .int8Array, .int8Array, .float8Array,
            .int8Array, .int8Array, .int8Array, .float8Array, .float8Array, .int8Array,
        ],
        """
        INSERT INTO usage_requests AS u (key, session_id, machine_id, workspace_id, request_id, message_id, model,
            query_source, turn_id, agent_id, at, input_tokens, output_tokens, cache_read_tokens,
            cache_write_5m_tokens, cache_write_1h_tokens, cost, is_estimate, sources, rank, otel_cost,
            transcript_cost, first_seq)
        SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19,
            $20, $21, $22, $23)
        ON CONFLICT (key) DO UPDATE SET
            session_id = \(winner("session_id")), machine_id = \(winner("machine_id")), at = \(winner("at")),
            workspace_id = \(known("workspace_id")), message_id = \(known("message_id")), model = \(known("model")),
            query_source = \(known("query_source")), turn_id = \(known("turn_id")), agent_id = \(known("agent_id")),
            input_tokens = \(winner("input_tokens")), output_tokens = \(winner("output_tokens")),
            cache_read_tokens = \(winner("cache_read_tokens")),
            cache_write_5m_tokens = \(winner("cache_write_5m_tokens")),
            cache_write_1h_tokens = \(winner("cache_write_1h_tokens")),
            cost = \(winner("cost")), is_estimate = \(winner("is_estimate")),
            sources = u.sources | excluded.sources, rank = greatest(u.rank, excluded.rank),
            otel_cost = greatest(u.otel_cost, excluded.otel_cost),
            transcript_cost = greatest(u.transcript_cost, excluded.transcript_cost),
            first_seq = least(u.first_seq, excluded.first_seq)
        """
    )

    private static func winner(_ column: String) -> String {
        "CASE WHEN excluded.rank > u.rank THEN excluded.\(column) ELSE u.\(column) END"
    }

    private static func known(_ column: String) -> String {
        "CASE WHEN excluded.rank > u.rank THEN coalesce(excluded.\(column), u.\(column)) "
            + "ELSE coalesce(u.\(column), excluded.\(column)) END"
    }

    static func parameters(_ rows: [RequestReading]) -> Parameters {
        var parameters = Parameters(reserving: rows.count * 512 + 1024)
        parameters.add(array: rows.lazy.map(\.key))
        parameters.add(array: rows.lazy.map(\.sessionID))
        parameters.add(array: rows.lazy.map(\.machine.rawValue))
        parameters.add(array: rows.lazy.map(\.workspaceID))
        parameters.add(array: rows.lazy.map(\.usage.requestID))
        parameters.add(array: rows.lazy.map(\.usage.messageID))
        parameters.add(array: rows.lazy.map(\.usage.model))
        parameters.add(array: rows.lazy.map(\.usage.querySource))
        parameters.add(array: rows.lazy.map(\.usage.turnID))
        parameters.add(array: rows.lazy.map(\.usage.agentID))
        parameters.add(array: rows.lazy.map(\.usage.at))
        parameters.add(array: rows.lazy.map(\.usage.tokens.input))
        parameters.add(array: rows.lazy.map(\.usage.tokens.output))
        parameters.add(array: rows.lazy.map(\.usage.tokens.cacheRead))
        parameters.add(array: rows.lazy.map(\.usage.tokens.cacheWrite5m))
        parameters.add(array: rows.lazy.map(\.usage.tokens.cacheWrite1h))
        parameters.add(array: rows.lazy.map(\.cost))
        parameters.add(array: rows.lazy.map { $0.isEstimate ? Int64(1) : 0 })
        parameters.add(array: rows.lazy.map(\.sources))
        parameters.add(array: rows.lazy.map(\.rank))
        parameters.add(array: rows.lazy.map(\.otelCost))
        parameters.add(array: rows.lazy.map(\.transcriptCost))
        parameters.add(array: rows.lazy.map(\.firstSeq))
        return parameters
    }

    /// The sessions of the rows must be distinct.
    static let upsertSessions = Statement(
        "upsert_usage_sessions",
        [
            .textArray, .int8Array, .float8Array, .int8Array, .int8Array, .int8Array, .int8Array, .int8Array,
            .timestamptzArray, .int8Array,
        ],
        """
        INSERT INTO usage_sessions AS u (session_id, machine_id, cost, input_tokens, output_tokens, cache_read_tokens,
            cache_write_5m_tokens, cache_write_1h_tokens, until, first_seq)
        SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (session_id) DO UPDATE SET
            (machine_id, cost, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens,
                cache_write_1h_tokens, until)
            = (excluded.machine_id, excluded.cost, excluded.input_tokens, excluded.output_tokens,
                excluded.cache_read_tokens, excluded.cache_write_5m_tokens, excluded.cache_write_1h_tokens,
                excluded.until)
        WHERE excluded.cost >= u.cost
        """
    )

    static func parameters(_ rows: [SessionCostReading]) -> Parameters {
        var parameters = Parameters(reserving: rows.count * 192 + 256)
        parameters.add(array: rows.lazy.map(\.sessionID))
        parameters.add(array: rows.lazy.map(\.machine.rawValue))
        parameters.add(array: rows.lazy.map(\.cost.costUSD))
        parameters.add(array: rows.lazy.map(\.cost.tokens.input))
        parameters.add(array: rows.lazy.map(\.cost.tokens.output))
        parameters.add(array: rows.lazy.map(\.cost.tokens.cacheRead))
        parameters.add(array: rows.lazy.map(\.cost.tokens.cacheWrite5m))
        parameters.add(array: rows.lazy.map(\.cost.tokens.cacheWrite1h))
        parameters.add(array: rows.lazy.map(\.cost.until))
        parameters.add(array: rows.lazy.map(\.firstSeq))
        return parameters
    }

    static let insertCopies = Statement(
        "insert_usage_copies",
        [.textArray, .textArray, .int8Array],
        """
        INSERT INTO usage_copies (session_id, key, first_seq) SELECT * FROM unnest($1, $2, $3)
        ON CONFLICT (session_id, key) DO NOTHING
        """
    )

    /// Finds the requests that a stored row says of another session. Runs before the rows are changed.
    static let findCopies = Statement(
        "find_usage_copies",
        [.textArray, .textArray, .int8Array],
        """
        INSERT INTO usage_copies (session_id, key, first_seq)
        SELECT teller, told.key, least(stored.first_seq, told.first_seq)
        FROM unnest($1, $2, $3) AS told (key, session_id, first_seq)
        CROSS JOIN LATERAL (
            SELECT u.session_id, u.first_seq FROM usage_requests u WHERE u.key = told.key LIMIT 1) AS stored
        CROSS JOIN LATERAL (VALUES (stored.session_id), (told.session_id)) AS tellers (teller)
        WHERE stored.session_id <> told.session_id AND stored.session_id <> '' AND told.session_id <> ''
        ON CONFLICT (session_id, key) DO NOTHING
        """
    )

    static func tellers(_ rows: [RequestReading]) -> Parameters {
        var parameters = Parameters(reserving: rows.count * 128 + 64)
        parameters.add(array: rows.lazy.map(\.key))
        parameters.add(array: rows.lazy.map(\.sessionID))
        parameters.add(array: rows.lazy.map(\.firstSeq))
        return parameters
    }

    static func parameters(_ copies: [CopiedRequest: Int64]) -> Parameters {
        let rows = copies.sorted { ($0.key.sessionID, $0.key.key) < ($1.key.sessionID, $1.key.key) }
        var parameters = Parameters(reserving: rows.count * 128 + 64)
        parameters.add(array: rows.lazy.map(\.key.sessionID))
        parameters.add(array: rows.lazy.map(\.key.key))
        parameters.add(array: rows.lazy.map(\.value))
        return parameters
    }

    /// Rows that the retained log can make anew. The others stay, and what is folded again is merged into them.
    static let clearRequests = Statement("clear_usage_requests", "DELETE FROM usage_requests WHERE \(isRetained)")
    static let clearCopies = Statement("clear_usage_copies", "DELETE FROM usage_copies WHERE \(isRetained)")
    static let clearSessions = Statement("clear_usage_sessions", "DELETE FROM usage_sessions WHERE \(isRetained)")

    static let clearStreams = Statement("clear_usage_streams", "DELETE FROM usage_streams WHERE \(isRetained)")

    private static let isRetained =
        "first_seq >= (SELECT coalesce((SELECT min(seq) FROM events), last_seq + 1) FROM log_head)"
}
