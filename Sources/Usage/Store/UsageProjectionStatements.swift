internal import EventModel
internal import Persistence

/// SQL of the projection `usage`.
enum UsageProjectionStatements {
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
        .column("is_unpriced") { $0.isUnpriced ? Int64(1) : 0 }
        .column("advises", \.advises).column("advice_cost", \.adviceCost)

    /// The keys of the rows must be distinct on each machine. Merges as `RequestReading.merge` does. The columns in
    /// which rows refer to each other are written by `RequestPairing`.
    static let upsertRequests = Statement(
        "upsert_usage_requests",
        requests.types,
        """
        INSERT INTO usage_requests AS u (\(requests.names)) SELECT * FROM \(requests.unnest("r"))
        ON CONFLICT (key, machine_id) DO UPDATE SET
            session_id = \(winner("session_id")), at = \(winner("at")),
            workspace_id = \(known("workspace_id")), model = \(known("model")),
            query_source = \(known("query_source")), turn_id = \(known("turn_id")), agent_id = \(known("agent_id")),
            input_tokens = \(winner("input_tokens")), output_tokens = \(winner("output_tokens")),
            cache_read_tokens = \(winner("cache_read_tokens")),
            cache_write_5m_tokens = \(winner("cache_write_5m_tokens")),
            cache_write_1h_tokens = \(winner("cache_write_1h_tokens")),
            cost = \(winner("cost")), is_estimate = \(winner("is_estimate")), is_unpriced = \(winner("is_unpriced")),
            advice_cost = \(winner("advice_cost")), otel_cost = \(winner("otel_cost")),
            transcript_cost = CASE WHEN u.sources & 1 = 1 THEN u.transcript_cost ELSE \(winner("transcript_cost")) END,
            rank = greatest(u.rank, excluded.rank), first_seq = least(u.first_seq, excluded.first_seq)
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
        .column("session_id", \.key.sessionID).column("key", \.key.id.key).column("machine_id", \.key.id.machine)
        .column("first_seq", \.value)

    /// The end of a statement that adds copies.
    static let keepFirst = """
        ON CONFLICT (session_id, key, machine_id) DO UPDATE SET first_seq = excluded.first_seq
        WHERE excluded.first_seq < usage_copies.first_seq
        """

    /// Runs after the rows of requests were written. `first_seq` is then that of the request, regardless of how the
    /// events were divided into batches.
    static let insertCopies = Statement(
        "insert_usage_copies",
        copies.types,
        """
        INSERT INTO usage_copies (\(copies.names))
        SELECT r.session_id, r.key, r.machine_id, least(r.first_seq, u.first_seq)
        FROM \(copies.unnest("r")) LEFT JOIN usage_requests u USING (key, machine_id)
        \(keepFirst)
        """
    )

    private static let tellers = RowColumns<RequestReading>()
        .column("key", \.key).column("machine_id", \.machine).column("session_id", \.sessionID)
        .column("first_seq", \.firstSeq)

    /// Finds the requests that a stored row attributes to another session. Runs before the rows are changed.
    static let findCopies = Statement(
        "find_usage_copies",
        tellers.types,
        """
        INSERT INTO usage_copies (session_id, key, machine_id, first_seq)
        SELECT teller, told.key, told.machine_id, min(least(stored.first_seq, told.first_seq))
        FROM \(tellers.unnest("told"))
        CROSS JOIN LATERAL (
            SELECT u.session_id, u.first_seq FROM usage_requests u
            WHERE (u.key, u.machine_id) = (told.key, told.machine_id) LIMIT 1) AS stored
        CROSS JOIN LATERAL (VALUES (stored.session_id), (told.session_id)) AS tellers (teller)
        WHERE stored.session_id <> told.session_id AND stored.session_id <> '' AND told.session_id <> ''
        GROUP BY 1, 2, 3
        \(keepFirst)
        """
    )

    static func tellers(_ rows: [RequestReading]) -> Parameters { Parameters(of: tellers.arrays(rows)) }

    static func parameters(_ copies: [CopiedRequest: Int64]) -> Parameters {
        let rows = copies.sorted { ($0.key.sessionID, $0.key.id.key) < ($1.key.sessionID, $1.key.id.key) }
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
