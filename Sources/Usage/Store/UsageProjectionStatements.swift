internal import EventModel
internal import Persistence

/// SQL of the projection `usage`.
enum UsageProjectionStatements {
    static let known = Statement(
        "known_usage_requests",
        [.textArray],
        // Each key is looked up in the index. With `= ANY` and many keys, PostgreSQL may read the whole table.
        """
        SELECT key, message_id FROM unnest($1) AS wanted (key) CROSS JOIN LATERAL (
            SELECT u.message_id FROM usage_requests u WHERE u.key = wanted.key LIMIT 1) AS found
        WHERE message_id IS NOT NULL
        """
    )

    private static let origins = RowColumns<RequestReading>()
        .column("key", \.key).column("session_id", \.sessionID).column("machine_id", \.machine)
        .column("workspace_id", \.workspaceID).column("request_id", \.usage.requestID)
        .column("message_id", \.usage.messageID).column("model", \.usage.model)
        .column("query_source", \.usage.querySource).column("turn_id", \.usage.turnID)
        .column("agent_id", \.usage.agentID).column("at", \.usage.at)

    private static let requests = origins.tokens(\.usage.tokens)
        .column("cost", \.cost).column("is_estimate") { $0.isEstimate ? Int64(1) : 0 }
        .column("sources", \.sources).column("rank", \.rank).column("otel_cost", \.otelCost)
        .column("transcript_cost", \.transcriptCost).column("first_seq", \.firstSeq)

    /// The keys of the rows must be distinct. Merges as `RequestReading.merge` does.
    static let upsertRequests = Statement(
        "upsert_usage_requests",
        requests.types,
        """
        INSERT INTO usage_requests AS u (\(requests.names)) SELECT * FROM \(requests.unnest("r"))
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

    static func parameters(_ rows: [RequestReading]) -> Parameters { Parameters(of: requests.arrays(rows)) }

    private static let sessions = RowColumns<SessionCostReading>()
        .column("session_id", \.sessionID).column("machine_id", \.machine).column("cost", \.cost.costUSD)
        .tokens(\.cost.tokens).column("until", \.cost.until).column("first_seq", \.firstSeq)

    /// The sessions of the rows must be distinct.
    static let upsertSessions = Statement(
        "upsert_usage_sessions",
        sessions.types,
        """
        INSERT INTO usage_sessions AS u (\(sessions.names)) SELECT * FROM \(sessions.unnest("r"))
        ON CONFLICT (session_id) DO UPDATE SET
            (machine_id, cost, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens,
                cache_write_1h_tokens, until)
            = (excluded.machine_id, excluded.cost, excluded.input_tokens, excluded.output_tokens,
                excluded.cache_read_tokens, excluded.cache_write_5m_tokens, excluded.cache_write_1h_tokens,
                excluded.until)
        WHERE excluded.cost >= u.cost
        """
    )

    static func parameters(_ rows: [SessionCostReading]) -> Parameters { Parameters(of: sessions.arrays(rows)) }

    private static let copies = RowColumns<(key: CopiedRequest, value: Int64)>()
        .column("session_id", \.key.sessionID).column("key", \.key.key).column("first_seq", \.value)

    /// Runs after the rows of requests were written. `first_seq` is then that of the request, regardless of how the
    /// events were divided into batches.
    static let insertCopies = Statement(
        "insert_usage_copies",
        copies.types,
        """
        INSERT INTO usage_copies (\(copies.names))
        SELECT r.session_id, r.key, least(r.first_seq, u.first_seq)
        FROM \(copies.unnest("r")) LEFT JOIN usage_requests u USING (key)
        ON CONFLICT (session_id, key) DO NOTHING
        """
    )

    private static let tellers = RowColumns<RequestReading>()
        .column("key", \.key).column("session_id", \.sessionID).column("first_seq", \.firstSeq)

    /// Finds the requests that a stored row attributes to another session. Runs before the rows are changed.
    static let findCopies = Statement(
        "find_usage_copies",
        tellers.types,
        """
        INSERT INTO usage_copies (session_id, key, first_seq)
        SELECT teller, told.key, least(stored.first_seq, told.first_seq)
        FROM \(tellers.unnest("told"))
        CROSS JOIN LATERAL (
            SELECT u.session_id, u.first_seq FROM usage_requests u WHERE u.key = told.key LIMIT 1) AS stored
        CROSS JOIN LATERAL (VALUES (stored.session_id), (told.session_id)) AS tellers (teller)
        WHERE stored.session_id <> told.session_id AND stored.session_id <> '' AND told.session_id <> ''
        ON CONFLICT (session_id, key) DO NOTHING
        """
    )

    static func tellers(_ rows: [RequestReading]) -> Parameters { Parameters(of: tellers.arrays(rows)) }

    static func parameters(_ copies: [CopiedRequest: Int64]) -> Parameters {
        let rows = copies.sorted { ($0.key.sessionID, $0.key.key) < ($1.key.sessionID, $1.key.key) }
        return Parameters(of: self.copies.arrays(rows))
    }

    /// Deletes the rows that the retained log can create again. The others stay, and events that are folded again are
    /// merged into them.
    static let clearRequests = Statement("clear_usage_requests", "DELETE FROM usage_requests WHERE \(isRetained)")
    static let clearCopies = Statement("clear_usage_copies", "DELETE FROM usage_copies WHERE \(isRetained)")
    static let clearSessions = Statement("clear_usage_sessions", "DELETE FROM usage_sessions WHERE \(isRetained)")

    static let clearStreams = Statement("clear_usage_streams", "DELETE FROM usage_streams WHERE \(isRetained)")

    private static let isRetained =
        "first_seq >= (SELECT coalesce((SELECT min(seq) FROM events), last_seq + 1) FROM log_head)"
}

extension RowColumns {
    fileprivate func tokens(_ tokens: @escaping @Sendable (Row) -> RequestTokens) -> RowColumns {
        column("input_tokens") { tokens($0).input }
            .column("output_tokens") { tokens($0).output }
            .column("cache_read_tokens") { tokens($0).cacheRead }
            .column("cache_write_5m_tokens") { tokens($0).cacheWrite5m }
            .column("cache_write_1h_tokens") { tokens($0).cacheWrite1h }
    }
}
