/// One of the store's connections. It is made on first use and replaced after a failure. Belongs to its thread.
final class StoreConnection {
    private let configuration: PersistenceConfiguration
    /// Whether to stop waiting for the database and not to connect any more.
    private let isCancelling: () -> Bool
    private var connection: PQConnection?
    private var connectFailure: PersistenceError?

    init(configuration: PersistenceConfiguration, isCancelling: @escaping () -> Bool) {
        self.configuration = configuration
        self.isCancelling = isCancelling
    }

    /// - Parameter isCancelled: asked a few times a second during a wait for the database.
    func run<Value>(
        _ body: (PQConnection) throws(PersistenceError) -> Value,
        isCancelled: @escaping () -> Bool
    ) -> Result<Value, PersistenceError> {
        let cancelled = PersistenceError(.cancelled, "nobody waits for the query any more")
        guard !isCancelled() else { return .failure(cancelled) }
        let result = run { connection throws(PersistenceError) in
            connection.shouldCancel = isCancelled
            defer { connection.shouldCancel = { false } }
            return try body(connection)
        }
        guard case .failure(let error) = result, error.sqlState == .queryCanceled, isCancelled() else { return result }
        return .failure(cancelled)
    }

    func run<Value>(
        _ body: (PQConnection) throws(PersistenceError) -> Value
    ) -> Result<Value, PersistenceError> {
        let isReused = connection != nil
        let first = attempt(body)
        guard isReused, connection == nil, case .failure(let error) = first, error.kind != .timedOut else {
            return first
        }
        return attempt(body)
    }

    /// Returns the error of the last attempt to connect, once.
    func takeConnectFailure() -> PersistenceError? {
        defer { connectFailure = nil }
        return connectFailure
    }

    private func attempt<Value>(
        _ body: (PQConnection) throws(PersistenceError) -> Value
    ) -> Result<Value, PersistenceError> {
        do throws(PersistenceError) {
            return .success(try body(try connected()))
        } catch {
            if error.isConnectionLost || error.sqlState?.spoilsPreparedStatements == true { connection = nil }
            return .failure(error)
        }
    }

    private func connected() throws(PersistenceError) -> PQConnection {
        if let connection { return connection }
        guard !isCancelling() else { throw PersistenceError(.stopped, "the store is being stopped") }
        do throws(PersistenceError) {
            let timeout = Int32(clamping: configuration.readTimeoutSeconds) * 1000
            let connection = try PQConnection(
                configuration,
                applicationName: "claude-monitor reader",
                replyTimeoutMilliseconds: timeout + 5_000,
                shouldGiveUp: isCancelling
            )
            try connection.execute("SET statement_timeout = \(timeout); SET jit = off", as: "set up")
            self.connection = connection
            return connection
        } catch {
            connectFailure = error
            throw error
        }
    }
}
