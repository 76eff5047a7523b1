extension PostgresStore {
    /// Notifies the servers of the database, including this one, that rows which they read have changed.
    ///
    /// - Parameter what: one word, which is passed to `ProjectionObserver.changedElsewhere`.
    package func tellOthers(of what: String) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(
                ProjectionStatements.notify,
                ProjectionStatements.named(LogNotice.changed(what).payload)
            )
        }
    }
}
