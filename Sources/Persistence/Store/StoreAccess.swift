package import EventModel
package import HTTPModel

/// The database, as features use it. It may be unavailable.
package protocol StoreAccess: Sendable {
    /// Throws 503 while the database is unavailable.
    func store() throws(APIError) -> PostgresStore
}

extension StoreAccess {
    /// Runs a query and converts its error into an API error.
    package func use<Result>(
        _ query: (PostgresStore) async throws(PersistenceError) -> Result
    ) async throws(APIError) -> Result {
        let store = try store()
        do throws(PersistenceError) {
            return try await query(store)
        } catch {
            throw error.apiError
        }
    }

    /// Finds a machine by the name that clients use, or by its number.
    package func machine(named name: String) async throws(APIError) -> MachineID? {
        try await use { store throws(PersistenceError) in try await store.machine(named: name) }
    }
}

extension PersistenceError {
    /// The error that a client gets.
    package var apiError: APIError {
        if isDataError { return .unstorable }
        if kind == .behind {
            return .unavailable(
                "projection_behind",
                "The sessions do not hold all events yet that were committed before. Try again.",
                retryAfter: 1
            )
        }
        if kind == .overloaded {
            return .unavailable("busy", "Too many queries wait for the database. Try again.", retryAfter: 1)
        }
        if sqlState == .queryCanceled {
            return .unavailable(
                "query_timeout",
                "The database did not finish the query in time. Ask for less, such as a shorter time.",
                retryAfter: 5
            )
        }
        if isRetriable { return .databaseUnavailable(retryAfter: 2) }
        return APIError(
            .internalError,
            status: 500,
            code: "storage_error",
            message: "The database refused the request. The server's log has the reason."
        )
    }
}
