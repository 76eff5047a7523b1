extension PostgresStore {
    /// Tells the servers of the database, this one included, that rows have changed which they read.
    ///
    /// - Parameter what: one word, which `ProjectionObserver.changedElsewhere` gets.
    package func tellOthers(of what: String) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(
                ProjectionStatements.notify,
                ProjectionStatements.named(LogNotice.changed(what).payload)
            )
        }
    }
}
