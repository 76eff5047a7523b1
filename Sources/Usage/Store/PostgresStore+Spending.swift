package import EventModel
package import Persistence

/// The cost of the requests of a project or a session, in US dollars, without those whose model has no price.
package struct CostOfPart: Sendable {
    package var id: String
    package var workspaceID: String?
    package var name: String?
    package var cost: Double
    /// Without the requests that count in the row of another machine.
    var costOnce: Double
}

extension PostgresStore {
    /// Returns three kinds of sums: the cost of all requests and plain chats since `start`; the cost of each project
    /// since `start`; and, for each session with a request since `start`, its total cost.
    package func costs(
        since start: Timestamp
    ) async throws(PersistenceError) -> (projects: [CostOfPart], sessions: [CostOfPart], total: Double) {
        try await runProjected(by: UsageProjection.identity) { connection throws(PersistenceError) in
            let parameters = Parameters(of: start)
            let projects = try connection.query(SpendingStatements.projects, parameters).map(CostOfPart.init(_:))
            let sessions = try connection.query(SpendingStatements.sessions, parameters).map(CostOfPart.init(_:))
            let chats: Double = try connection.query(SpendingStatements.chats, parameters).firstValue() ?? 0
            let total = projects.reduce(chats) { $0 + $1.costOnce }
            return (projects.filter { !$0.id.isEmpty }, sessions, total)
        }
    }
}

extension CostOfPart {
    fileprivate init(_ row: PQRow) throws(PersistenceError) {
        (id, workspaceID, name, cost, costOnce) = try row.values()
    }
}

private enum SpendingStatements {
    private static let sums = """
        coalesce(sum(cost) FILTER (WHERE is_unpriced = 0), 0)::double precision AS cost,
            coalesce(sum(cost) FILTER (WHERE is_unpriced = 0 AND is_first = 1), 0)::double precision AS once
        """

    static let projects = Statement(
        "cost_of_projects",
        [.timestamptz],
        """
        SELECT c.id, nullif(c.id, ''), (SELECT w.name FROM workspaces w WHERE w.id = c.id), c.cost, c.once
        FROM (
            SELECT coalesce(workspace_id, '') AS id, \(sums) FROM usage_counted WHERE at >= $1 GROUP BY 1
        ) c
        """
    )

    static let chats = Statement(
        "cost_of_chats",
        [.timestamptz],
        """
        SELECT coalesce(sum(cost), 0)::double precision FROM usage_of_chats WHERE at >= $1 AND is_unpriced = 0
        """
    )

    static let sessions = Statement(
        "cost_of_sessions",
        [.timestamptz],
        """
        SELECT session_id, max(workspace_id), NULL::text, \(sums) FROM usage_counted
        WHERE session_id IN (SELECT session_id FROM usage_requests WHERE at >= $1) GROUP BY session_id
        """
    )
}
