package import EventModel
package import Persistence

extension PostgresStore {
    /// The sums of sessions by their ids. A session without any request or sum is omitted.
    package func sessionTotals(of ids: [String]) async throws(PersistenceError) -> [String: SessionTotals] {
        guard !ids.isEmpty else { return [:] }
        return try await runProjected(by: UsageProjection.identity) { connection throws(PersistenceError) in
            let parameters = Parameters(of: ids)
            var totals: [String: SessionTotals] = [:]
            for row in try connection.query(SessionTotalsStatements.sums, parameters).rows {
                totals[try row.value()] = try SessionTotals(sums: row)
            }
            for row in try connection.query(SessionTotalsStatements.stated, parameters).rows {
                let stated = try row.make(from: 1, SessionCost.init(costUSD:tokens:until:))
                totals[try row.value(), default: SessionTotals()].stated = stated
            }
            for row in try connection.query(SessionTotalsStatements.streams, parameters).rows {
                let (session, lost, isCutOff): (String, Int64, Int64) = try row.values()
                totals[session]?.lostRecords = lost
                totals[session]?.isCutOff = isCutOff == 1
            }
            for row in try connection.query(SessionTotalsStatements.unpriced, parameters).rows {
                let part = try row.make(from: 1, UnpricedUsage.init(model:requests:cost:))
                totals[try row.value(), default: SessionTotals()].add(part)
            }
            for row in try connection.query(SessionTotalsStatements.copies, parameters).rows {
                totals[try row.value()]?.repeatsRequests = true
            }
            return totals
        }
    }
}

extension SessionTotals {
    fileprivate mutating func add(_ part: UnpricedUsage) {
        var sum = unpriced ?? UnpricedUsage()
        sum.add(part)
        unpriced = sum
    }

    fileprivate init(sums row: PQRow) throws(PersistenceError) {
        self.init()
        (requests, tokens, cost, hasEstimate) = try row.values(from: 1)
        (sources, onlyTranscript, lastAt, costByTelemetry, costByTranscript) = try row.values(from: 9)
    }
}

extension RequestTokens: PGColumn {
    package static var columnCount: Int { 5 }

    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self = try row.make(
            from: column,
            RequestTokens.init(input:output:cacheRead:cacheWrite5m:cacheWrite1h:)
        )
    }
}

private enum SessionTotalsStatements {
    static let sums = Statement(
        "usage_of_sessions",
        [.textArray],
        """
        SELECT session_id, count(*), \(UsageSQL.tokenSums), sum(cost), bool_or(is_estimate = 1), bit_or(sources),
            count(*) FILTER (WHERE sources = 2), max(at), \(UsageSQL.costsOfBoth)
        FROM usage_counted WHERE session_id = ANY ($1) GROUP BY session_id
        """
    )

    static let unpriced = Statement(
        "unpriced_usage_of_sessions",
        [.textArray],
        """
        SELECT session_id, coalesce(model, ''), count(*), coalesce(sum(cost), 0)::double precision FROM usage_counted
        WHERE session_id = ANY ($1) AND is_unpriced = 1 GROUP BY 1, 2 ORDER BY 4 DESC, 2
        """
    )

    /// The sessions that report requests which count for another session, or did until that session was erased.
    static let copies = Statement(
        "copies_of_sessions",
        [.textArray],
        """
        SELECT DISTINCT c.session_id FROM usage_copies c LEFT JOIN usage_requests u USING (key, machine_id)
        WHERE c.session_id = ANY ($1) AND u.session_id IS DISTINCT FROM c.session_id
        """
    )

    static let streams = Statement(
        "streams_of_sessions",
        [.textArray],
        """
        SELECT session_id, missing, is_cut_off FROM usage_streams
        WHERE session_id = ANY ($1) AND (missing > 0 OR is_cut_off = 1)
        """
    )

    static let stated = Statement(
        "stated_usage_of_sessions",
        [.textArray],
        """
        SELECT session_id, cost, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens,
            cache_write_1h_tokens, until
        FROM usage_sessions WHERE session_id = ANY ($1)
        """
    )
}

/// Parts of statements.
enum UsageSQL {
    /// Five columns. Sums beyond what a column holds are cut.
    static let tokenSums =
        ["input", "output", "cache_read", "cache_write_5m", "cache_write_1h"]
        .map { "least(coalesce(sum(\($0)_tokens), 0), 9e18)::bigint" }.joined(separator: ", ")

    /// Two columns: the cost of the requests that both sources report, according to telemetry and according to
    /// transcripts.
    static let costsOfBoth =
        ["otel", "transcript"].map { "coalesce(sum(\($0)_cost) FILTER (WHERE sources = 3), 0)::double precision" }
        .joined(separator: ", ")
}
