internal import API
internal import Audit
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
internal import Secrets
internal import Signing

/// Logins of the operator that begin with a link, for use in any browser.
extension LoginService {
    /// A link that waits to be followed.
    struct Offer: Sendable {
        var key: ConnectionKey
        /// The server's name.
        var server: String
    }

    /// Returns the token of a link that works once, and the time at which the link expires.
    ///
    /// - Parameter wish: has no browser, because that is not known yet.
    func offer(
        _ key: ConnectionKey,
        _ wish: LoginWish,
        _ caller: Caller
    ) async throws(APIError) -> (token: String, expiresAt: Timestamp) {
        _ = try await ports.server(key.server)
        var random = SystemRandomNumberGenerator()
        let token = "lk_" + String(decoding: Base62.random(32, using: &random), as: UTF8.self)
        let now = clock()
        let row = LoginRow(
            stateSHA256: Digest.sha256(Array(token.utf8)),
            key: key,
            browserSHA256: [],
            startedBy: caller.principal?.auditName ?? "anonymous",
            expiresAt: now.adding(seconds: PendingLogin.seconds)
        )
        try await vault.store([(row.place, wish.stored)]) { connection, sealed throws(PersistenceError) in
            try connection.keepLogin(row, sealed[0], now: now)
        }
        return (token, row.expiresAt)
    }

    /// Returns `nil` if the token does not belong to a valid link of the operator.
    func offered(_ token: String) async throws(APIError) -> Offer? {
        let (sha256, now) = (Digest.sha256(Array(token.utf8)), clock())
        return try await database.use { store throws(PersistenceError) in
            try await store.offeredLogin(sha256, now: now)
        }
    }

    /// Uses the link up, and returns the address where the person logs in.
    func accept(
        _ token: String,
        redirectURI: String,
        document: String?,
        browser: String,
        _ caller: Caller
    ) async throws(APIError) -> String {
        let sha256 = Digest.sha256(Array(token.utf8))
        let taken = try await database.use { store throws(PersistenceError) in try await store.takeLogin(sha256) }
        guard let (row, sealed) = taken, row.browserSHA256.isEmpty, clock() < row.expiresAt else {
            throw AccountService.linkGone
        }
        var wish = LoginWish(redirectURI: redirectURI, browser: browser)
        wish.restore(try vault.open(sealed, at: row.place))
        (wish.document, wish.startedBy) = (document, row.startedBy)
        return try await begin(row.key, wish, caller).url
    }
}

extension LoginWish {
    /// The JSON that is sealed and stored.
    fileprivate var stored: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("client_id", client?.id)
        writer.field("client_secret", client?.secret)
        writer.field("scope", scope)
        writer.strings("trusted_origins", trustedOrigins.sorted())
        writer.endObject()
        return writer.bytes
    }

    fileprivate mutating func restore(_ stored: [UInt8]) {
        guard let json = try? JSONValue.parse(stored) else { return }
        client = json["client_id"]?.string.map { OAuthClient(id: $0, secret: json["client_secret"]?.string) }
        scope = json["scope"]?.string
        trustedOrigins = Set(json["trusted_origins"]?.array?.compactMap(\.string) ?? [])
    }
}

extension PostgresStore {
    fileprivate func offeredLogin(
        _ sha256: [UInt8],
        now: Timestamp
    ) async throws(PersistenceError) -> LoginService.Offer? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: RawBytes(bytes: sha256), now)
            guard let row = try connection.query(OAuthStatements.offered, parameters).firstRow else { return nil }
            return try row.make { server, account, name in
                LoginService.Offer(key: ConnectionKey(server: server, account: account), server: name)
            }
        }
    }
}
