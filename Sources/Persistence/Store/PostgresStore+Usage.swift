public import EventModel

extension PostgresStore {
    /// Days are sorted by date, other dimensions by use, most used first. Days without events are omitted.
    public func usage(_ query: UsageQuery) async throws(PersistenceError) -> [UsageRow] {
        try await runProjected { connection throws(PersistenceError) in
            var parameters = Parameters()
            parameters.add(query.from)
            parameters.add(query.to)
            let rows = try connection.query(UsageStatements.usage(query.by), parameters)
            return try rows.map { row throws(PersistenceError) in try UsageRow(row, by: query.by) }
        }
    }
}
