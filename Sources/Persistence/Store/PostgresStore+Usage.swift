package import EventModel

extension PostgresStore {
    /// Days are sorted by date, other dimensions by use, most used first. Days without events are omitted.
    package func usage(_ query: UsageQuery) async throws(PersistenceError) -> [UsageRow] {
        try await runProjected { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: query.from,
                query.to,
                query.machine?.rawValue,
                query.workspaceID,
                query.zone.text
            )
            let rows = try connection.query(UsageStatements.usage(query.by), parameters)
            return try rows.map { row throws(PersistenceError) in try UsageRow(row, by: query.by) }
        }
    }
}
