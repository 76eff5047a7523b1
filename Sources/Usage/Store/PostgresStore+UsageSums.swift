package import EventModel
package import Persistence

extension PostgresStore {
    package func usageSums(_ query: RequestUsageQuery) async throws(PersistenceError) -> UsageSums {
        try await runProjected(by: UsageProjection.identity) { connection throws(PersistenceError) in
            var sums = try UsageSums(of: .requests, query, on: connection)
            if query.includesChats { sums.add(try UsageSums(of: .chats, query, on: connection), by: query.by) }
            return sums
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

extension UsageSums {
    fileprivate init(
        of relation: UsageRelation,
        _ query: RequestUsageQuery,
        on connection: PQConnection
    ) throws(PersistenceError) {
        let parameters = Parameters(of: query.from, query.to, query.sessionID, query.machine, query.workspaceID)
        // Requests do not name tools.
        guard let by = query.by, by != .tool else {
            self.init(total: try UsageSum.total(of: relation, query, parameters, on: connection))
            return
        }
        // A group of a machine has all of the machine's requests. Otherwise machines are summed.
        let isShared = try UsageSum.isShared(relation, query, on: connection)
        let isOfMachine = by == .machine || by == .project || by == .session
        let key = UsageGroupKey(by, in: query.zone, of: relation)
        let keyed = key.isZoned ? Parameters(parameters, and: query.zone.text) : parameters
        let statement = UsageSumStatements.groups(key, once: isShared && !isOfMachine)
        var groups = try connection.query(statement, keyed).map(UsageSum.init(_:))
        let incomplete: [String] =
            relation == .chats ? [] : try connection.query(UsageSumStatements.incompleteGroups(key), keyed).values()
        let unpriced = try UsageSum.unpriced(key, once: isShared && !isOfMachine, keyed, on: connection)
        for index in groups.indices {
            groups[index].isIncomplete = incomplete.contains(groups[index].key)
            if let part = unpriced[groups[index].key] { groups[index].unpriced = part }
        }
        // If all groups were read, they include all requests. Otherwise the total needs another read.
        if groups.count < UsageSumStatements.mostGroups, !(isShared && isOfMachine) {
            self.init(total: groups.reduce(into: UsageSum()) { $0.add($1) }, groups: groups)
        } else {
            self.init(total: try UsageSum.total(of: relation, query, parameters, on: connection), groups: groups)
        }
    }
}

extension UsageSum {
    static func total(
        _ query: RequestUsageQuery,
        _ parameters: Parameters,
        on connection: PQConnection
    ) throws(PersistenceError) -> UsageSum {
        var total = try Self.total(of: .requests, query, parameters, on: connection)
        if query.includesChats { total.add(try Self.total(of: .chats, query, parameters, on: connection)) }
        return total
    }

    fileprivate static func total(
        of relation: UsageRelation,
        _ query: RequestUsageQuery,
        _ parameters: Parameters,
        on connection: PQConnection
    ) throws(PersistenceError) -> UsageSum {
        let isOnce = try isShared(relation, query, on: connection)
        let statement = UsageSumStatements.total(relation, once: isOnce)
        var total = try connection.query(statement, parameters).map(UsageSum.init(_:)).first ?? UsageSum()
        if relation == .requests {
            let incomplete = try connection.query(UsageSumStatements.isIncomplete, parameters)
            total.isIncomplete = incomplete.rows.contains { _ in true }
        }
        let unpriced = try Self.unpriced(.none(relation), once: isOnce, parameters, on: connection)
        total.unpriced = unpriced[""] ?? UnpricedUsage()
        return total
    }

    /// Whether a request of the sum may count in the row of another machine.
    fileprivate static func isShared(
        _ relation: UsageRelation,
        _ query: RequestUsageQuery,
        on connection: PQConnection
    ) throws(PersistenceError) -> Bool {
        guard relation == .requests, query.isOverMachines else { return false }
        return try connection.query(UsageSumStatements.isShared).rows.contains { _ in true }
    }

    /// By the keys of the groups.
    fileprivate static func unpriced(
        _ key: UsageGroupKey,
        once: Bool,
        _ parameters: Parameters,
        on connection: PQConnection
    ) throws(PersistenceError) -> [String: UnpricedUsage] {
        var sums: [String: UnpricedUsage] = [:]
        for row in try connection.query(UsageSumStatements.unpriced(key, once: once), parameters).rows {
            let part = try row.make(from: 1, UnpricedUsage.init(model:requests:cost:))
            sums[try row.value(), default: UnpricedUsage()].add(part)
        }
        return sums
    }

    fileprivate init(_ row: PQRow) throws(PersistenceError) {
        self.init()
        (key, name, requests, tokens, cost, hasEstimate) = try row.values()
        (byTelemetry, byTranscript, byAgent, costByTelemetry, costByTranscript) = try row.values(from: 10)
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

    /// The columns of which there are sums.
    private static let summed = """
        input_tokens, output_tokens, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens, cost, is_estimate,
            sources, otel_cost, transcript_cost
        """

    private static let sums = """
        count(*), \(UsageSQL.tokenSums), coalesce(sum(cost), 0)::double precision,
            coalesce(bool_or(is_estimate = 1), false), count(*) FILTER (WHERE sources & 1 = 1),
            count(*) FILTER (WHERE sources & 2 = 2), count(*) FILTER (WHERE sources & 4 = 4), \(UsageSQL.costsOfBoth)
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
    static func incompleteGroups(_ key: UsageGroupKey) -> Statement {
        Statement(
            "usage_incomplete_by_\(key.name)",
            types + key.types,
            """
            \(key.preamble)
            SELECT \(key.shown) FROM (SELECT DISTINCT \(key.columns) FROM usage_requests WHERE \(incomplete)) AS k
            """
        )
    }

    static let isShared = Statement(
        "usage_shared",
        [],
        "SELECT 1 FROM usage_requests WHERE is_first = 0 AND is_counted = 1 LIMIT 1"
    )

    /// - Parameter once: leaves out the requests that count in the row of another machine.
    static func total(_ relation: UsageRelation, once: Bool) -> Statement {
        Statement(
            "usage_total\(relation.mark)\(once ? "_once" : "")",
            types,
            "SELECT ''::text, NULL::text, \(sums) FROM \(relation.counted) WHERE \(condition) \(first(once))"
        )
    }

    static func groups(_ key: UsageGroupKey, once: Bool) -> Statement {
        Statement(
            "usage_by_\(key.name)\(once ? "_once" : "")",
            types + key.types,
            """
            \(key.preamble)
            SELECT \(key.shown), \(key.displayName), \(sums)
            FROM (
                SELECT \(summed), \(key.columns) FROM \(key.relation.counted)
                WHERE \(condition) \(first(once)) \(key.fence)
            ) AS keyed
            GROUP BY \(key.names) ORDER BY \(key.order ?? "sum(cost) DESC, bucket") LIMIT \(mostGroups)
            """
        )
    }

    /// The models without a price in each group.
    static func unpriced(_ key: UsageGroupKey, once: Bool) -> Statement {
        Statement(
            "usage_unpriced_\(key.name)\(once ? "_once" : "")",
            types + key.types,
            """
            \(key.preamble)
            SELECT \(key.shown), model, requests, cost FROM (
                SELECT \(key.columns), coalesce(model, '') AS model, count(*) AS requests,
                    coalesce(sum(cost), 0)::double precision AS cost
                FROM \(key.relation.counted) WHERE is_unpriced = 1 AND \(condition) \(first(once))
                GROUP BY \(key.names), coalesce(model, '')
            ) AS parts ORDER BY cost DESC, model LIMIT \(mostGroups)
            """
        )
    }

    private static func first(_ once: Bool) -> String { once ? "AND is_first = 1" : "" }

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
