internal import API
internal import EventModel
internal import HTTPClient
internal import HTTPModel
internal import Persistence
internal import Secrets
internal import Signing

/// What administrators do with remote servers.
extension RemoteServers {
    /// Adds a server, and returns its id. Its tools are listed soon.
    func add(_ change: RemoteServerChange, by actor: String, at time: Timestamp) async throws(APIError) -> String {
        guard let name = change.name else {
            throw .invalid("missing_parameter", "'name' is missing.", param: "name")
        }
        guard let location = change.location else {
            throw .invalid("missing_parameter", "'url' is missing.", param: "url")
        }
        let id = RemoteServer.id(of: name)
        let headers = change.headers ?? []
        let server = RemoteServer(
            id: id,
            name: name,
            url: location.description,
            headerNames: RemoteHeaders.names(headers),
            headers: nil,
            trustsHints: change.trustsHints ?? false,
            changedAt: time,
            listedAt: nil,
            failures: 0
        )
        guard try await isFree(id) else { throw RemoteRefusal.exists }
        var first = server.report(.success(RemoteListing()))
        (first.state, first.isListed, first.isComplete) = ("pending", false, false)
        let row = ServerReport(of: first)
        let (names, url, trusts) = (String(decoding: server.headerNames, as: UTF8.self), server.url, server.trustsHints)
        let isAdded = try await sealing(headers, of: id) { connection, sealed throws(PersistenceError) in
            try PostgresStore.keepServer(row.servers[0], at: time, connection)
            let parameters = Parameters(of: id, url, names, sealed, trusts, actor, time)
            if try connection.query(RemoteStatements.add, parameters).firstRow != nil { return true }
            _ = try connection.query(RemoteStatements.hide, Parameters(of: id))
            return false
        }
        guard isAdded else { throw try await isFree(id) ? RemoteRefusal.tooMany : RemoteRefusal.exists }
        wake()
        return id
    }

    private func isFree(_ id: String) async throws(APIError) -> Bool {
        try await database.use { store throws(PersistenceError) in try await store.remoteServer(id) } == nil
    }

    /// Changes what the body names. Credentials do not follow a server to another origin: they must be given anew.
    func change(_ id: String, _ change: RemoteServerChange, at time: Timestamp) async throws(APIError) {
        let server = try await server(id)
        let location = change.location?.description ?? server.url
        let isMoved = change.location.map { !server.url.hasPrefix($0.origin + "/") } ?? false
        guard !isMoved || server.headers == nil || change.headers != nil else { throw RemoteRefusal.headersNeeded }
        let trusts = change.trustsHints ?? server.trustsHints
        let isChanged: Bool
        if let headers = change.headers {
            let names = String(decoding: RemoteHeaders.names(headers), as: UTF8.self)
            isChanged = try await sealing(headers, of: id) { connection, sealed throws(PersistenceError) in
                let parameters = Parameters(of: id, location, names, sealed, trusts, time, server.changedAt)
                return try connection.query(RemoteStatements.change, parameters).firstRow != nil
            }
        } else {
            isChanged = try await database.use { store throws(PersistenceError) in
                try await store.changeRemoteServer(id, location, trusts, at: time, from: server.changedAt)
            }
        }
        guard isChanged else { throw RemoteRefusal.changedMeanwhile }
        forget(id)
        wake()
    }

    func remove(_ id: String) async throws(APIError) {
        _ = try await server(id)
        // The rows of the tokens are deleted with the server.
        await revokeTokens(id)
        let isRemoved = try await database.use { store throws(PersistenceError) in
            try await store.removeRemoteServer(id)
        }
        guard isRemoved else { throw ToolRefusal.unknownServer }
        forget(id)
    }

    private func sealing(
        _ headers: [(name: String, value: String)],
        of id: String,
        _ write: @escaping @Sendable (PQConnection, RawBytes?) throws(PersistenceError) -> Bool
    ) async throws(APIError) -> Bool {
        guard let secret = RemoteHeaders.secret(headers) else {
            return try await database.use { store throws(PersistenceError) in
                try await store.run { connection throws(PersistenceError) in try write(connection, nil) }
            }
        }
        return try await secrets.store([(RemoteServer.secret(of: id), secret)]) {
            connection,
            sealed
                throws(PersistenceError) in
            try write(connection, sealed[0])
        }
    }
}

extension PostgresStore {
    fileprivate func changeRemoteServer(
        _ id: String,
        _ url: String,
        _ trusts: Bool,
        at time: Timestamp,
        from before: Timestamp
    ) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: id, url, trusts, time, before)
            return try connection.query(RemoteStatements.move, parameters).firstRow != nil
        }
    }
}

enum RemoteRefusal {
    static let exists = APIError(
        .conflict,
        status: 409,
        code: "mcp_server_exists",
        message: "There is a remote MCP server of that name.",
        param: "name"
    )

    static let tooMany = APIError(
        .conflict,
        status: 409,
        code: "too_many_mcp_servers",
        message: "There are \(RemoteServerChange.mostServers) remote MCP servers. Remove one first."
    )

    static let changedMeanwhile = APIError(
        .conflict,
        status: 409,
        code: "mcp_server_changed",
        message: "Somebody else has changed the server meanwhile. Read it again."
    )

    static let headersNeeded = APIError.invalid(
        "missing_parameter",
        "The server moves to another origin. Give 'headers' anew: those that are stored are not sent there.",
        param: "headers"
    )
}
