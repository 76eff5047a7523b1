package import EventModel
package import Persistence

extension PostgresStore {
    package func usageSums(_ query: RequestUsageQuery) async throws(PersistenceError) -> UsageSums {
        try await runProjected(by: UsageProjection.identity) { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: query.from,
                query.to,
                query.sessionID,
                query.machine,
                query.workspaceID
            )
            // Requests do not name tools.
            guard let by = query.by, by != .tool else {
                return UsageSums(total: try UsageSum.total(query, parameters, on: connection))
            }
            // A group of a machine has all of the machine's requests. Otherwise machines are summed.
            let isShared = query.isOverMachines ? try UsageSum.isShared(on: connection) : false
            let isOfMachine = by == .machine || by == .project || by == .session
            let statement = UsageSumStatements.groups(by, once: isShared && !isOfMachine)
            var groups = try connection.query(statement, parameters).map(UsageSum.init(_:))
            let incomplete: [String] =
                try connection.query(UsageSumStatements.incompleteGroups(by), parameters).values()
            let unpriced = try UsageSum.unpriced(by, once: isShared && !isOfMachine, parameters, on: connection)
            for index in groups.indices {
                groups[index].isIncomplete = incomplete.contains(groups[index].key)
                if let part = unpriced[groups[index].key] { groups[index].unpriced = part }
            }
            // If all groups were read, they include all requests. Otherwise the total needs another read.
            if groups.count < UsageSumStatements.mostGroups, !(isShared && isOfMachine) {
                return UsageSums(total: groups.reduce(into: UsageSum()) { $0.add($1) }, groups: groups)
            }
            return UsageSums(total: try UsageSum.total(query, parameters, on: connection), groups: groups)
        }
    }

    /// - Parameter after: the time and key of the last request of the previous page.
    package func requests(
        of sessionID: String,
        after: (at: Timestamp, key: String)?,
        limit: Int
    ) async throws(PersistenceError) -> RequestPage {
        try await runProjected(by: UsageProjection.identity) { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: sessionID,
                after?.at ?? Timestamp(microseconds: 0),
                after?.key ?? "",
                Int64(limit + 1)
            )
            let found = try connection.query(UsageSumStatements.requests, parameters).map(RequestRecord.init(_:))
            return RequestPage(requests: Array(found.prefix(limit)), hasMore: found.count > limit)
        }
    }
}

extension UsageSum {
    static func total(
        _ query: RequestUsageQuery,
        _ parameters: Parameters,
        on connection: PQConnection
    ) throws(PersistenceError) -> UsageSum {
        let isOnce = query.isOverMachines ? try isShared(on: connection) : false
        let found = try connection.query(UsageSumStatements.total(once: isOnce), parameters).map(UsageSum.init(_:))
            .first
        var total = found ?? UsageSum()
        let incomplete = try connection.query(UsageSumStatements.isIncomplete, parameters)
        total.isIncomplete = incomplete.rows.contains { _ in true }
        total.unpriced = try unpriced(nil, once: isOnce, parameters, on: connection)[""] ?? UnpricedUsage()
        return total
    }

    /// Whether a request counts in the row of another machine.
    fileprivate static func isShared(on connection: PQConnection) throws(PersistenceError) -> Bool {
        try connection.query(UsageSumStatements.isShared).rows.contains { _ in true }
    }

    /// By the keys of the groups.
    fileprivate static func unpriced(
        _ by: RequestUsageQuery.Dimension?,
        once: Bool,
        _ parameters: Parameters,
        on connection: PQConnection
    ) throws(PersistenceError) -> [String: UnpricedUsage] {
        var sums: [String: UnpricedUsage] = [:]
        for row in try connection.query(UsageSumStatements.unpriced(by, once: once), parameters).rows {
            let part = try row.make(from: 1, UnpricedUsage.init(model:requests:cost:))
            sums[try row.value(), default: UnpricedUsage()].add(part)
        }
        return sums
    }

    fileprivate init(_ row: PQRow) throws(PersistenceError) {
        self.init()
        (key, name, requests, tokens, cost, hasEstimate) = try row.values()
        (byTelemetry, byTranscript, costByTelemetry, costByTranscript) = try row.values(from: 10)
    }
}

extension RequestRecord {
    fileprivate init(_ row: PQRow) throws(PersistenceError) {
        let (at, tokens): (Timestamp, RequestTokens) = try row.values(from: 1)
        sources = try row.value(13)
        let source: RequestUsage.Source = sources & RequestReading.otel != 0 ? .otel : .transcript
        usage = RequestUsage(source: source, at: at, tokens: tokens)
        key = try row.value()
        (usage.requestID, usage.messageID, usage.model) = try row.values(from: 7)
        (usage.querySource, usage.turnID, usage.agentID) = try row.values(from: 10)
        cost = try row.value(14)
        isEstimate = try row.value(15) == Int64(1)
        (costByTelemetry, costByTranscript) = try row.values(from: 16)
        isUnpriced = try row.value(18) == Int64(1)
    }
}

private enum UsageSumStatements {
    static let mostGroups = 5000

    private static let types: [PGType] = [.timestamptz, .timestamptz, .text, .int8, .text]

    private static let condition = """
        ($1::timestamptz IS NULL OR at >= $1) AND ($2::timestamptz IS NULL OR at < $2)
            AND ($3::text IS NULL OR session_id = $3) AND ($4::bigint IS NULL OR machine_id = $4)
            AND ($5::text IS NULL OR workspace_id = $5)
        """

    private static let sums = """
        count(*), \(UsageSQL.tokenSums), coalesce(sum(cost), 0)::double precision,
            coalesce(bool_or(is_estimate = 1), false), count(*) FILTER (WHERE sources & 1 = 1),
            count(*) FILTER (WHERE sources & 2 = 2), \(UsageSQL.costsOfBoth)
        """

    private static let incomplete = """
        \(condition) AND session_id IN (SELECT session_id FROM usage_streams WHERE missing > 0 OR is_cut_off = 1)
        """

    static let isIncomplete = Statement(
        "usage_incomplete",
        types,
        "SELECT 1 FROM usage_requests WHERE \(incomplete) LIMIT 1"
    )

    /// The keys of groups with a session that lacks telemetry.
    static func incompleteGroups(_ by: RequestUsageQuery.Dimension) -> Statement {
        Statement(
            "usage_incomplete_by_\(by.rawValue)",
            types,
            """
            SELECT \(shown(by)) FROM (SELECT DISTINCT \(key(by)) AS bucket FROM usage_requests WHERE \(incomplete)) AS k
            """
        )
    }

    static let isShared = Statement(
        "usage_shared",
        [],
        "SELECT 1 FROM usage_requests WHERE is_first = 0 AND is_counted = 1 LIMIT 1"
    )

    /// - Parameter once: leaves out the requests that count in the row of another machine.
    static func total(once: Bool) -> Statement {
        Statement(
            once ? "usage_total_once" : "usage_total",
            types,
            "SELECT ''::text, NULL::text, \(sums) FROM usage_counted WHERE \(condition) \(first(once))"
        )
    }

    static func groups(_ by: RequestUsageQuery.Dimension, once: Bool) -> Statement {
        let isTime = by == .day || by == .hour
        return Statement(
            "usage_by_\(by.rawValue)\(once ? "_once" : "")",
            types,
            """
            SELECT \(shown(by)), \(name(by)), \(sums)
            FROM (SELECT *, \(key(by)) AS bucket FROM usage_counted WHERE \(condition) \(first(once))) AS keyed
            GROUP BY bucket ORDER BY \(isTime ? "bucket" : "sum(cost) DESC, bucket") LIMIT \(mostGroups)
            """
        )
    }

    /// The models without a price in each group.
    static func unpriced(_ by: RequestUsageQuery.Dimension?, once: Bool) -> Statement {
        Statement(
            "usage_unpriced_\(by?.rawValue ?? "total")\(once ? "_once" : "")",
            types,
            """
            SELECT \(by.map(shown) ?? "bucket"), model, requests, cost FROM (
                SELECT \(by.map(key) ?? "''::text") AS bucket, coalesce(model, '') AS model, count(*) AS requests,
                    coalesce(sum(cost), 0)::double precision AS cost
                FROM usage_counted WHERE is_unpriced = 1 AND \(condition) \(first(once)) GROUP BY 1, 2
            ) AS parts ORDER BY cost DESC, model LIMIT \(mostGroups)
            """
        )
    }

    private static func first(_ once: Bool) -> String { once ? "AND is_first = 1" : "" }

    private static func key(_ by: RequestUsageQuery.Dimension) -> String {
        switch by {
        // The same expressions as in the statistics of the table.
        case .day: "date_bin('1 day', at, timestamptz '2000-01-01 00:00:00Z')"
        case .hour: "date_bin('1 hour', at, timestamptz '2000-01-01 00:00:00Z')"
        case .machine: "machine_id::text"
        case .project: "coalesce(workspace_id, '')"
        case .model: "coalesce(model, '')"
        // Requests do not name tools; the caller adds the counts of calls.
        case .tool: "''::text"
        case .querySource: "coalesce(query_source, '')"
        case .session: "session_id"
        }
    }

    private static func shown(_ by: RequestUsageQuery.Dimension) -> String {
        switch by {
        case .day: "to_char(bucket AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
        case .hour: "to_char(bucket AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:00:00\"Z\"')"
        default: "bucket"
        }
    }

    private static func name(_ by: RequestUsageQuery.Dimension) -> String {
        switch by {
        case .machine: "(SELECT m.name FROM machines m WHERE m.id::text = bucket)"
        case .project: "(SELECT w.name FROM workspaces w WHERE w.id = bucket)"
        default: "NULL::text"
        }
    }

    static let requests = Statement(
        "usage_requests_page",
        [.text, .timestamptz, .text, .int8],
        """
        SELECT key, at, input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
            request_id, message_id, model, query_source, turn_id, agent_id, sources, cost, is_estimate,
            otel_cost, transcript_cost, is_unpriced::bigint
        FROM usage_counted WHERE session_id = $1 AND (at, key) > ($2, $3) ORDER BY at, key LIMIT $4
        """
    )
}
