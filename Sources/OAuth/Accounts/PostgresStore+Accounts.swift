internal import EventModel
internal import Persistence

/// A link to a login, as it is stored.
struct StoredLink: Sendable {
    var tokenSHA256: [UInt8]
    var expiresAt: Timestamp
    var callbackURL: String?
}

extension PQConnection {
    /// Returns false if the account was removed meanwhile, or got another link.
    func activate(account id: String, at now: Timestamp) throws(PersistenceError) -> Bool {
        try query(AccountStatements.activate, Parameters(of: id, now)).firstRow != nil
    }
}

extension PostgresStore {
    /// Returns false if there are too many accounts, or no such server.
    func addAccount(
        _ id: String,
        of owner: AccountOwner,
        at server: String,
        alias: String?,
        _ link: StoredLink,
        now: Timestamp
    ) async throws(PersistenceError) -> Bool {
        let sha256 = RawBytes(bytes: link.tokenSHA256)
        return try await has(
            AccountStatements.add,
            Parameters(
                of: id,
                owner.apiKey,
                owner.user,
                server,
                alias,
                sha256,
                link.expiresAt,
                link.callbackURL,
                now
            )
        )
    }

    func relinkAccount(
        _ id: String,
        of apiKey: Int64,
        _ link: StoredLink,
        now: Timestamp
    ) async throws(PersistenceError) -> Bool {
        let sha256 = RawBytes(bytes: link.tokenSHA256)
        let parameters = Parameters(of: id, apiKey, sha256, link.expiresAt, link.callbackURL, now)
        return try await has(AccountStatements.relink, parameters)
    }

    func connectedAccount(_ id: String) async throws(PersistenceError) -> StoredAccount? {
        try await account(AccountStatements.one, Parameters(of: id))
    }

    /// The account of a link that is still valid.
    func linkedAccount(_ tokenSHA256: [UInt8], now: Timestamp) async throws(PersistenceError) -> StoredAccount? {
        try await account(AccountStatements.linked, Parameters(of: RawBytes(bytes: tokenSHA256), now))
    }

    /// Uses the link up. Returns `nil` if it is no longer valid.
    func followLink(
        _ tokenSHA256: [UInt8],
        until loginExpiresAt: Timestamp,
        now: Timestamp
    ) async throws(PersistenceError) -> String? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: RawBytes(bytes: tokenSHA256), now, loginExpiresAt)
            return try connection.query(AccountStatements.follow, parameters).firstValue()
        }
    }

    func giveLinkBack(_ id: String, _ link: StoredLink, now: Timestamp) async throws(PersistenceError) {
        let sha256 = RawBytes(bytes: link.tokenSHA256)
        _ = try await has(AccountStatements.giveBack, Parameters(of: id, sha256, link.expiresAt, now))
    }

    func failAccount(_ id: String, _ reason: String, now: Timestamp) async throws(PersistenceError) {
        _ = try await has(AccountStatements.fail, Parameters(of: id, reason, now))
    }

    /// Returns false if there is no such account.
    func removeAccount(_ id: String) async throws(PersistenceError) -> Bool {
        _ = try await has(AccountStatements.forgetLogins, Parameters(of: id))
        return try await has(AccountStatements.remove, Parameters(of: id))
    }

    /// Returns false if there is no such account, or its tokens were removed before.
    func revokeAccount(_ id: String, _ reason: String, now: Timestamp) async throws(PersistenceError) -> Bool {
        _ = try await has(AccountStatements.forgetLogins, Parameters(of: id))
        return try await has(AccountStatements.revoke, Parameters(of: id, reason, now))
    }

    /// A part of the accounts, regardless of their statuses.
    func connectedAccounts(
        _ selection: AccountSelection,
        after cursor: ListCursor?,
        atMost count: Int
    ) async throws(PersistenceError) -> [StoredAccount] {
        try await run { connection throws(PersistenceError) in
            let time = cursor.map { Timestamp(microseconds: $0.key) }
            let parameters = Parameters(
                of: selection.apiKey,
                selection.users,
                selection.servers,
                selection.ids,
                time,
                cursor?.id ?? "",
                Int64(count)
            )
            return try connection.query(AccountStatements.list, parameters).values()
        }
    }

    /// The accounts whose tokens for the server are stored; an empty text stands for the shared ones.
    func connections(of server: String) async throws(PersistenceError) -> [ConnectionKey] {
        try await run { connection throws(PersistenceError) in
            let accounts: [String] = try connection.query(AccountStatements.ofServer, Parameters(of: server)).values()
            return accounts.map { ConnectionKey(server: server, account: $0) }
        }
    }

    /// Tokens that nobody can use any more.
    func orphanedConnections(atMost count: Int64) async throws(PersistenceError) -> [ConnectionKey] {
        try await run { connection throws(PersistenceError) in
            try connection.query(AccountStatements.orphans, Parameters(of: count)).map { row throws(PersistenceError) in
                try row.make { ConnectionKey(server: $0, account: $1) }
            }
        }
    }

    private func has(_ statement: Statement, _ parameters: Parameters) async throws(PersistenceError) -> Bool {
        try await run { connection throws(PersistenceError) in
            try connection.query(statement, parameters).firstRow != nil
        }
    }

    private func account(
        _ statement: Statement,
        _ parameters: Parameters
    ) async throws(PersistenceError) -> StoredAccount? {
        try await run { connection throws(PersistenceError) in
            try connection.query(statement, parameters).firstValue()
        }
    }
}
