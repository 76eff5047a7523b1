internal import EventModel
internal import Persistence

extension PostgresStore {
    func remoteServer(_ id: String) async throws(PersistenceError) -> RemoteServer? {
        try await run { connection throws(PersistenceError) in
            try connection.query(RemoteStatements.one, Parameters(of: id)).firstValue()
        }
    }

    func removeRemoteServer(_ id: String) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            try connection.query(RemoteStatements.remove, Parameters(of: id)).firstRow != nil
        }
    }

    /// - Parameter lease: until when no other server takes them.
    func claimRemoteServers(
        due time: Timestamp,
        until lease: Timestamp,
        atMost count: Int64
    ) async throws(PersistenceError) -> [String] {
        try await run { connection throws(PersistenceError) in
            try connection.query(RemoteStatements.claim, Parameters(of: time, lease, count)).values()
        }
    }

    /// Does nothing if the server was changed meanwhile, because the listing is then of another one.
    ///
    /// - Parameter next: when to ask it again.
    func keep(
        _ report: ServerReport,
        of server: RemoteServer,
        listedAt: Timestamp?,
        next: Timestamp,
        failures: Int64,
        at time: Timestamp
    ) async throws(PersistenceError) {
        let isCurrent = try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: server.id, listedAt, next, failures, server.changedAt)
            return try connection.query(RemoteStatements.listed, parameters).firstRow != nil
        }
        if isCurrent { try await keep(report, at: time) }
    }
}
