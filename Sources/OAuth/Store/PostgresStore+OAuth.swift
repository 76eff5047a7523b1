internal import EventModel
internal import HTTPClient
package import Persistence

extension PQConnection {
    func keepLogin(_ row: LoginRow, _ login: RawBytes, now: Timestamp) throws(PersistenceError) {
        _ = try query(OAuthStatements.expireLogins, Parameters(of: now))
        let parameters = Parameters(
            of: RawBytes(bytes: row.stateSHA256),
            row.key.server,
            row.key.account,
            RawBytes(bytes: row.browserSHA256),
            login,
            row.startedBy,
            row.expiresAt
        )
        _ = try query(OAuthStatements.keepLogin, parameters)
    }

    func keepClient(
        _ client: OAuthClient,
        _ secret: RawBytes?,
        at issuer: String,
        _ redirectURI: String,
        _ now: Timestamp
    ) throws(PersistenceError) {
        let parameters = Parameters(of: issuer, redirectURI, client.id, secret, client.expiresAt, now)
        _ = try query(OAuthStatements.keepClient, parameters)
    }

    func connect(
        _ key: ConnectionKey,
        _ grant: TokenGrant,
        _ tokens: IssuedGrant,
        _ sealed: ConnectionSecrets.Columns,
        by actor: String,
        at now: Timestamp
    ) throws(PersistenceError) {
        let parameters = Parameters(
            of: key.server,
            key.account,
            grant.resource,
            grant.issuer,
            grant.tokenEndpoint.description,
            grant.revocationEndpoint?.description,
            grant.client.id,
            sealed.client,
            grant.sendsSecretInForm,
            tokens.scope,
            sealed.access,
            sealed.refresh,
            tokens.expiresAt,
            actor,
            now
        )
        _ = try query(OAuthStatements.connect, parameters)
    }

    /// Returns `nil` if the connection was removed or replaced meanwhile.
    func keepRefresh(
        _ key: ConnectionKey,
        of generation: Int64,
        _ tokens: IssuedGrant,
        _ sealed: ConnectionSecrets.Columns,
        at now: Timestamp
    ) throws(PersistenceError) -> StoredConnection? {
        let parameters = Parameters(
            of: key.server,
            key.account,
            generation,
            sealed.access,
            sealed.refresh,
            tokens.expiresAt,
            tokens.scope,
            now
        )
        return try query(OAuthStatements.refreshed, parameters).firstValue()
    }
}

extension PostgresStore {
    /// Removes the login of a state, so that the state counts once.
    func takeLogin(_ stateSHA256: [UInt8]) async throws(PersistenceError) -> (LoginRow, [UInt8])? {
        try await run { connection throws(PersistenceError) in
            let found = try connection.query(OAuthStatements.takeLogin, Parameters(of: RawBytes(bytes: stateSHA256)))
            guard let row = found.firstRow else { return nil }
            let (server, account, browser): (String, String, [UInt8]) = try row.values()
            let (startedBy, expiresAt, login): (String, Timestamp, [UInt8]) = try row.values(from: 3)
            let taken = LoginRow(
                stateSHA256: stateSHA256,
                key: ConnectionKey(server: server, account: account),
                browserSHA256: browser,
                startedBy: startedBy,
                expiresAt: expiresAt
            )
            return (taken, login)
        }
    }

    /// Returns `nil` if there is no remote MCP server of this id.
    package func remoteServerURL(_ id: String) async throws(PersistenceError) -> String? {
        try await run { connection throws(PersistenceError) in
            try connection.query(OAuthStatements.server, Parameters(of: id)).firstValue()
        }
    }

    typealias StoredClient = (id: String, secret: [UInt8]?, expiresAt: Timestamp?)

    func oauthClient(at issuer: String, _ redirectURI: String) async throws(PersistenceError) -> StoredClient? {
        try await run { connection throws(PersistenceError) in
            let found = try connection.query(OAuthStatements.client, Parameters(of: issuer, redirectURI))
            guard let row = found.firstRow else { return nil }
            let (id, secret, expiresAt): (String, [UInt8]?, Timestamp?) = try row.values()
            return (id, secret, expiresAt)
        }
    }

    func forgetClient(at issuer: String, _ redirectURI: String) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(OAuthStatements.forgetClient, Parameters(of: issuer, redirectURI))
        }
    }

    func oauthConnection(_ key: ConnectionKey) async throws(PersistenceError) -> StoredConnection? {
        try await one(OAuthStatements.connection, Parameters(of: key.server, key.account))
    }

    func removeOAuthConnection(_ key: ConnectionKey) async throws(PersistenceError) -> StoredConnection? {
        try await one(OAuthStatements.remove, Parameters(of: key.server, key.account))
    }

    /// Returns the connection if this server alone may refresh its tokens now; `nil` if another one does, or has.
    func claimRefresh(
        _ key: ConnectionKey,
        of generation: Int64,
        seconds: Double
    ) async throws(PersistenceError) -> StoredConnection? {
        try await one(OAuthStatements.claim, Parameters(of: key.server, key.account, generation, seconds))
    }

    func releaseRefresh(_ key: ConnectionKey, of generation: Int64) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(OAuthStatements.release, Parameters(of: key.server, key.account, generation))
        }
    }

    /// A person must log in again. Does nothing if the tokens have changed meanwhile.
    func loseConnection(
        _ key: ConnectionKey,
        of generation: Int64,
        _ reason: OAuthFault.Code
    ) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: key.server, key.account, generation, reason.rawValue)
            _ = try connection.query(OAuthStatements.lose, parameters)
        }
    }

    /// Notes the scope that the MCP server wants.
    func widenConnection(_ key: ConnectionKey, _ scope: String) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(OAuthStatements.widen, Parameters(of: key.server, key.account, scope))
        }
    }

    private func one(
        _ statement: Statement,
        _ parameters: Parameters
    ) async throws(PersistenceError) -> StoredConnection? {
        try await run { connection throws(PersistenceError) in
            try connection.query(statement, parameters).firstValue()
        }
    }
}
