package import EventModel
package import HTTPClient
package import HTTPModel
package import Persistence
package import Secrets

/// An access token, as it may be sent to its resource.
package struct BearerToken: Sendable {
    package let text: String
    /// Tells a later token from this one.
    package let generation: Int64

    package init(text: String, generation: Int64) {
        (self.text, self.generation) = (text, generation)
    }
}

extension BearerToken: CustomStringConvertible, CustomReflectable {
    package var description: String { "bearer token" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// How a request with a token ended.
package enum TokenAttempt<Value: Sendable>: Sendable {
    case done(Value)
    /// The resource has answered 401.
    case unauthorized
}

/// The tokens of connections: opens them, and refreshes them before they expire, once for any number of callers on any
/// number of servers. May be used from any task.
package struct TokenService: Sendable {
    /// Seconds between looks at a connection that another server refreshes.
    private static let pause = 0.1

    let ports: OAuthPorts
    let vault: SecretVault
    let database: any StoreAccess
    let clock: @Sendable () -> Timestamp
    private let flights = TokenFlights()

    package init(
        ports: OAuthPorts,
        vault: SecretVault,
        database: any StoreAccess,
        clock: @escaping @Sendable () -> Timestamp
    ) {
        (self.ports, self.vault, self.database, self.clock) = (ports, vault, database, clock)
    }

    /// Runs a request with a token. If the resource refuses the token, runs it once more with a refreshed one. A second
    /// refusal means that a person must log in again: 409 `needs_login`.
    ///
    /// - Parameters:
    ///   - location: where the request goes. Throws 409 `needs_login` if the tokens are for another resource.
    ///   - attempt: gets `nil` if nobody has logged in at the server.
    package func withToken<Value: Sendable>(
        _ key: ConnectionKey,
        at location: HTTPLocation,
        _ attempt: @Sendable (BearerToken?) async throws(APIError) -> TokenAttempt<Value>
    ) async throws(APIError) -> Value {
        let first = try await token(key, at: location, after: nil)
        if case .done(let value) = try await attempt(first) { return value }
        guard let first else { throw .needsLogin }
        let second = try await token(key, at: location, after: first)
        if case .done(let value) = try await attempt(second) { return value }
        if let second { try await reject(key, second) }
        throw .needsLogin
    }

    /// The token to send. Returns `nil` if nobody has logged in.
    ///
    /// - Parameter refused: a token that the resource has refused.
    package func token(
        _ key: ConnectionKey,
        at location: HTTPLocation,
        after refused: BearerToken?
    ) async throws(APIError) -> BearerToken? {
        let wish = TokenWish(key: key, location: location.description, refused: refused?.generation)
        return try await flights.run(wish) { await current(key, at: location, wish.refused) }.get()
    }

    private func current(
        _ key: ConnectionKey,
        at location: HTTPLocation,
        _ refused: Int64?
    ) async -> Result<BearerToken?, APIError> {
        do throws(APIError) {
            while true {
                guard let found = try await connection(key) else { return .success(nil) }
                // The server's address may have changed since the login.
                guard HTTPLocation(found.resource)?.covers(location) == true else { throw .needsLogin }
                switch RefreshPlan().next(found.plan, refused: refused, now: clock()) {
                case .use: return .success(try opened(found))
                case .login: throw .needsLogin
                case .refresh, .wait:
                    if let token = try await refreshed(found, refused) { return .success(token) }
                    do { try await Task.sleep(for: .seconds(TokenService.pause)) } catch { throw .needsLogin }
                }
            }
        } catch {
            return .failure(error)
        }
    }

    /// Returns `nil` if another server refreshes.
    private func refreshed(_ found: StoredConnection, _ refused: Int64?) async throws(APIError) -> BearerToken? {
        let claimed = try await database.use { store throws(PersistenceError) in
            try await store.claimRefresh(found.key, of: found.generation, seconds: RefreshPlan.leaseSeconds)
        }
        guard let claimed else { return nil }
        let answer: TokenAnswer
        let now = clock()
        do throws(OAuthFault) {
            let token = try text("refresh_token", claimed.refreshToken, claimed)
            let form = TokenForm(refreshing: token, of: try grant(claimed))
            answer = try await OAuthExchange(ports: ports).tokens(form, now: now)
        } catch {
            return try await released(claimed, refused, error)
        }
        switch answer {
        case .issued(let tokens): return try await keep(tokens, claimed, now)
        case .refused:
            try await lose(claimed.key, of: claimed.generation, .refreshRefused)
            throw .needsLogin
        case .failed(let status):
            let fault = OAuthFault(.unreachable, "the issuer answers with status \(status)")
            return try await released(claimed, refused, fault)
        case .malformed:
            let fault = OAuthFault(.malformedTokens, "the issuer's answer has no tokens")
            return try await released(claimed, refused, fault)
        }
    }

    /// Lets others try. The old token counts for as long as it is alive.
    private func released(
        _ claimed: StoredConnection,
        _ refused: Int64?,
        _ fault: OAuthFault
    ) async throws(APIError) -> BearerToken {
        try await database.use { store throws(PersistenceError) in
            try await store.releaseRefresh(claimed.key, of: claimed.generation)
        }
        let isAlive = claimed.expiresAt.map { clock() < $0 } ?? true
        let isRefused = refused.map { $0 >= claimed.generation } ?? false
        guard isAlive, !isRefused, claimed.accessToken != nil else { throw fault.apiError }
        return try opened(claimed)
    }

    private func keep(
        _ tokens: IssuedGrant,
        _ claimed: StoredConnection,
        _ now: Timestamp
    ) async throws(APIError) -> BearerToken {
        let (key, generation) = (claimed.key, claimed.generation)
        let secrets = ConnectionSecrets(key, tokens, clientSecret: nil)
        let kept = try await vault.store(secrets.list) { connection, sealed throws(PersistenceError) in
            try connection.keepRefresh(key, of: generation, tokens, secrets.columns(sealed), at: now)
        }
        guard let kept else {
            await revoke(tokens.accessToken, "access_token", claimed)
            throw .needsLogin
        }
        return BearerToken(text: tokens.accessToken, generation: kept.generation)
    }

    /// The resource has refused a token that is new: a person must log in again.
    package func reject(_ key: ConnectionKey, _ token: BearerToken) async throws(APIError) {
        try await lose(key, of: token.generation, .refreshRefused)
    }

    /// The resource has refused a request because the token's scope is too narrow: a person must log in again for it.
    ///
    /// - Parameter scope: that the request needs. Ignored unless it is a list of names.
    package func widen(_ key: ConnectionKey, _ scope: String) async throws(APIError) {
        guard let names = OAuthScope.names(scope), let known = OAuthScope.union(names) else { return }
        try await database.use { store throws(PersistenceError) in try await store.widenConnection(key, known) }
    }

    private func lose(_ key: ConnectionKey, of generation: Int64, _ reason: OAuthFault.Code) async throws(APIError) {
        try await database.use { store throws(PersistenceError) in
            try await store.loseConnection(key, of: generation, reason)
        }
    }
}

extension TokenService {
    package func connection(_ key: ConnectionKey) async throws(APIError) -> StoredConnection? {
        try await database.use { store throws(PersistenceError) in try await store.oauthConnection(key) }
    }

    /// Forgets the tokens, and has their issuer revoke them. Returns whether it says that it has; `nil` if there was no
    /// connection.
    package func disconnect(_ key: ConnectionKey) async throws(APIError) -> Bool? {
        let removed = try await database.use { store throws(PersistenceError) in
            try await store.removeOAuthConnection(key)
        }
        guard let removed else { return nil }
        var isRevoked = true
        for (column, sealed) in [("refresh_token", removed.refreshToken), ("access_token", removed.accessToken)] {
            guard sealed != nil else { continue }
            let token = try? text(column, sealed, removed)
            let isGone = if let token { await revoke(token, column, removed) } else { false }
            isRevoked = isRevoked && isGone
        }
        return isRevoked
    }

    @discardableResult
    private func revoke(_ token: String, _ kind: String, _ connection: StoredConnection) async -> Bool {
        guard let grant = try? grant(connection), let endpoint = grant.revocationEndpoint else { return false }
        let form = TokenForm(revoking: token, kind, at: endpoint, of: grant)
        return await OAuthExchange(ports: ports).revoke(form)
    }

    private func opened(_ connection: StoredConnection) throws(APIError) -> BearerToken {
        do throws(OAuthFault) {
            let text = try text("access_token", connection.accessToken, connection)
            return BearerToken(text: text, generation: connection.generation)
        } catch {
            throw error.apiError
        }
    }

    private func grant(_ connection: StoredConnection) throws(OAuthFault) -> TokenGrant {
        guard let endpoint = HTTPLocation(connection.tokenEndpoint) else {
            throw OAuthFault(.malformedMetadata, "the token endpoint is no URL")
        }
        let secret = try connection.clientSecret.map { sealed throws(OAuthFault) in
            try text("client_secret", sealed, connection)
        }
        return TokenGrant(
            issuer: connection.issuer,
            resource: connection.resource,
            tokenEndpoint: endpoint,
            revocationEndpoint: connection.revocationEndpoint.flatMap(HTTPLocation.init),
            client: OAuthClient(id: connection.clientID, secret: secret),
            sendsSecretInForm: connection.sendsSecretInForm
        )
    }

    private func text(
        _ column: String,
        _ sealed: [UInt8]?,
        _ connection: StoredConnection
    ) throws(OAuthFault) -> String {
        do throws(APIError) {
            let bytes = try vault.open(sealed ?? [], at: ConnectionSecrets.place(column, connection.key))
            return String(decoding: bytes, as: UTF8.self)
        } catch {
            throw OAuthFault(.unreachable, "the stored secret does not open here: \(error.code)")
        }
    }
}
