package import API
package import Audit
package import EventModel
package import HTTPModel
package import Persistence
package import Secrets
internal import Signing

/// What the caller of a login may give.
package struct LoginWish: Sendable {
    /// A client that a person has registered at the issuer.
    package var client: OAuthClient?
    package var scope: String?
    /// Origins that endpoints may have beside their issuer's.
    package var trustedOrigins: Set<String> = []
    /// Where the browser comes back.
    package var redirectURI: String
    /// This server's description, if others can reach it.
    package var document: String?
    /// The secret that the browser keeps in a cookie.
    package var browser: String
    /// Who began it, as the audit log names principals; `nil` means the caller.
    package var startedBy: String?

    package init(redirectURI: String, browser: String) {
        (self.redirectURI, self.browser) = (redirectURI, browser)
    }
}

/// How a browser came back.
struct LoginEnd: Sendable {
    /// `nil` if no login waited for it.
    var key: ConnectionKey?
    /// Whether it is the browser in which the login began.
    var isSameBrowser = false
    /// Why the login failed; `nil` if it succeeded.
    var error: APIError?
}

/// Logins at the authorization servers of remote MCP servers. May be used from any task.
package struct LoginService: Sendable {
    let ports: OAuthPorts
    let vault: SecretVault
    let database: any StoreAccess
    let audit: AccessAudit
    var clock: @Sendable () -> Timestamp { audit.clock }

    private var exchange: OAuthExchange { OAuthExchange(ports: ports) }

    package init(ports: OAuthPorts, vault: SecretVault, database: any StoreAccess, audit: AccessAudit) {
        (self.ports, self.vault, self.database, self.audit) = (ports, vault, database, audit)
    }

    /// Returns the address where the person logs in.
    package func begin(
        _ key: ConnectionKey,
        _ wish: LoginWish,
        _ caller: Caller
    ) async throws(APIError) -> (url: String, expiresAt: Timestamp) {
        let server = try await ports.server(key.server)
        let found: Discovery.Found
        let client: OAuthClient
        do throws(OAuthFault) {
            let rules = EndpointRules(server: server, trustedOrigins: wish.trustedOrigins)
            found = try await exchange.discover(server, rules)
        } catch {
            throw error.apiError
        }
        client = try await self.client(at: found.server, wish, for: key)
        guard let state = try? PendingLogin.random(), let verifier = try? PendingLogin.random() else {
            throw LoginService.noRandomness
        }
        var login = PendingLogin(found, client: client, redirectURI: wish.redirectURI, verifier: verifier)
        login.scope = try await scope(of: wish, for: key, else: login.scope)
        let expiresAt = clock().adding(seconds: PendingLogin.seconds)
        let row = LoginRow(
            stateSHA256: Digest.sha256(Array(state.utf8)),
            key: key,
            browserSHA256: Digest.sha256(Array(wish.browser.utf8)),
            startedBy: wish.startedBy ?? caller.principal?.auditName ?? "anonymous",
            expiresAt: expiresAt
        )
        let now = clock()
        try await vault.store([(row.place, login.stored)]) { connection, sealed throws(PersistenceError) in
            try connection.keepLogin(row, sealed[0], now: now)
        }
        await record(.connectServer, key, AuditResult.granted.word, row.startedBy, caller)
        return (login.authorizationURL(found.server.authorizationEndpoint, state: state), expiresAt)
    }

    /// The browser comes back. Returns the server that is connected now. An answer counts once, whatever it is.
    package func finish(
        _ query: String,
        browser: String?,
        _ caller: Caller
    ) async throws(APIError) -> ConnectionKey {
        let end = await end(query, browser: browser, caller)
        guard let key = end.key, end.error == nil else { throw end.error ?? LoginCallback.unknownState.apiError }
        return key
    }

    /// The same, with what is known of a login that has failed.
    func end(_ query: String, browser: String?, _ caller: Caller) async -> LoginEnd {
        let taken: (LoginRow, [UInt8])?
        do throws(APIError) {
            taken = try await take(query)
        } catch {
            return LoginEnd(error: error)
        }
        guard let (row, sealed) = taken else { return LoginEnd(error: LoginCallback.unknownState.apiError) }
        var end = LoginEnd(key: row.key)
        do throws(OAuthFault) {
            try PendingLogin.admit(browser: row.browserSHA256, browser, until: row.expiresAt, now: clock())
            end.isSameBrowser = true
            guard let login = PendingLogin(stored: try opened(sealed, row)) else { throw LoginCallback.unknownState }
            try await connect(row, login, code: try login.check(try LoginCallback(query)))
        } catch {
            await record(.finishLogin, row.key, error.code.rawValue, row.startedBy, caller)
            end.error = error.apiError
            return end
        }
        await record(.finishLogin, row.key, AuditResult.granted.word, row.startedBy, caller)
        return end
    }

    private func take(_ query: String) async throws(APIError) -> (LoginRow, [UInt8])? {
        let callback: LoginCallback
        do throws(OAuthFault) { callback = try LoginCallback(query) } catch { throw error.apiError }
        let state = Digest.sha256(Array(callback.state.utf8))
        return try await database.use { store throws(PersistenceError) in try await store.takeLogin(state) }
    }

    private func opened(_ sealed: [UInt8], _ row: LoginRow) throws(OAuthFault) -> [UInt8] {
        do throws(APIError) { return try vault.open(sealed, at: row.place) } catch {
            throw OAuthFault(.unreachable, "the stored login cannot be opened here")
        }
    }

    /// Turns the code into tokens, and stores them.
    private func connect(_ row: LoginRow, _ login: PendingLogin, code: String) async throws(OAuthFault) {
        let now = clock()
        switch try await exchange.tokens(TokenForm(code: code, of: login), now: now) {
        case .issued(var tokens):
            tokens.scope = tokens.scope ?? login.scope
            let grant = TokenGrant(of: login)
            let isKept: Bool
            do throws(APIError) {
                isKept = try await keep(tokens, grant, row, now)
            } catch {
                throw OAuthFault(.unreachable, "the tokens cannot be stored now")
            }
            guard !isKept else { return }
            await exchange.revoke(tokens, grant)
            throw LoginCallback.unknownState
        case .refused:
            // The next login registers anew, if this server had registered itself.
            try? await database.store().forgetClient(at: login.issuer, login.redirectURI)
            throw OAuthFault(.codeRefused, "the issuer gives no tokens for this login")
        case .failed(let status): throw OAuthFault(.unreachable, "the issuer answers with status \(status)")
        case .malformed: throw OAuthFault(.malformedTokens, "the issuer's answer has no usable tokens")
        }
    }

    /// Returns false if the account that logs in was removed meanwhile.
    private func keep(
        _ tokens: IssuedGrant,
        _ grant: TokenGrant,
        _ row: LoginRow,
        _ now: Timestamp
    ) async throws(APIError) -> Bool {
        let key = row.key
        let secrets = ConnectionSecrets(key, tokens, clientSecret: grant.client.secret)
        return try await vault.store(secrets.list) { connection, sealed throws(PersistenceError) in
            if !key.account.isEmpty, try !connection.activate(account: key.account, at: now) { return false }
            try connection.connect(key, grant, tokens, secrets.columns(sealed), by: row.startedBy, at: now)
            return true
        }
    }

    /// The client id of this server at the issuer. Registers it if needed.
    private func client(
        at server: AuthorizationServer,
        _ wish: LoginWish,
        for key: ConnectionKey
    ) async throws(APIError) -> OAuthClient {
        let stored = try await database.use { store throws(PersistenceError) in
            try await store.oauthClient(at: server.issuer, wish.redirectURI)
        }
        let place = LoginService.place(ofClientAt: server.issuer, wish.redirectURI)
        var known: OAuthClient?
        if let stored {
            let secret = try stored.secret.map { bytes throws(APIError) in try vault.open(bytes, at: place) }
            known = OAuthClient(
                id: stored.id,
                secret: secret.map { String(decoding: $0, as: UTF8.self) },
                expiresAt: stored.expiresAt
            )
        }
        let given = if let client = wish.client { client } else { try await givenClient(at: server, wish, for: key) }
        let client: OAuthClient
        do throws(OAuthFault) {
            switch try ClientChoice(
                at: server,
                given: given,
                known: known,
                document: wish.document,
                now: clock()
            ) {
            case .use(let client): return client
            case .register(let endpoint):
                client = try await exchange.register(ClientDescription(redirectURI: wish.redirectURI), at: endpoint)
            }
        } catch {
            throw error.apiError
        }
        let secrets = client.secret.map { [(place, Array($0.utf8))] } ?? []
        let (issuer, redirectURI, now) = (server.issuer, wish.redirectURI, clock())
        try await vault.store(secrets) { connection, sealed throws(PersistenceError) in
            try connection.keepClient(client, sealed.first, at: issuer, redirectURI, now)
        }
        return client
    }

    static func place(ofClientAt issuer: String, _ redirectURI: String) -> SecretPlace {
        SecretPlace(table: "oauth_clients", row: "\(issuer) \(redirectURI)", column: "client_secret")
    }

    func record(
        _ action: AuditAction,
        _ key: ConnectionKey,
        _ result: String,
        _ actor: String,
        _ caller: Caller
    ) async {
        await audit.record(
            AuditEntry(
                at: clock(),
                actor: actor,
                action: action.rawValue,
                object: key.account.isEmpty ? key.server : key.row,
                result: result,
                peer: caller.peer,
                requestID: caller.requestID
            )
        )
    }

    private static let noRandomness = APIError(
        .internalError,
        status: 500,
        code: "no_randomness",
        message: "The system gives no random bytes."
    )
}
