package import API
internal import Audit
package import EventModel
package import HTTPModel
internal import Persistence
internal import Signing

/// What a program wants a link for.
package struct LinkWish: Sendable {
    /// The id of the MCP server.
    package var server: String
    package var callbackURL: String?
    package var alias: String?
    /// The account to log in anew; `nil` makes one.
    package var account: String?

    package init(server: String, callbackURL: String? = nil, alias: String? = nil, account: String? = nil) {
        (self.server, self.callbackURL, self.alias, self.account) = (server, callbackURL, alias, account)
    }
}

/// A link to a login. Its token is stored nowhere, so only this has it.
package struct AccountLink: Sendable {
    package var accountID: String
    package var token: String
    package var url: String
    package var expiresAt: Timestamp
}

extension AccountLink: CustomStringConvertible, CustomReflectable {
    package var description: String { "link of \(accountID)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The accounts of programs' users at remote MCP servers. May be used from any task.
package struct AccountService: Sendable {
    /// Seconds for which a link is valid.
    package static let linkSeconds = 600.0
    /// The most requests that wait for accounts at a time.
    private static let mostWaiting = 200
    /// Seconds after which a wait looks again, because a notification of another server may be lost.
    private static let lookSeconds = 30.0
    private static let days = 30.0
    private static let batch: Int64 = 20

    let logins: LoginService
    package let tokens: TokenService
    package let changes: AccountChanges
    let rules: CallbackRules
    let place: LoginPlace

    var database: any StoreAccess { logins.database }
    var clock: @Sendable () -> Timestamp { logins.clock }

    package var now: Timestamp { clock() }

    package init(
        logins: LoginService,
        tokens: TokenService,
        changes: AccountChanges,
        rules: CallbackRules,
        place: LoginPlace
    ) {
        (self.logins, self.tokens, self.changes) = (logins, tokens, changes)
        (self.rules, self.place) = (rules, place)
    }

    /// Makes a link. Also makes the account that it is for, unless the wish names one.
    ///
    /// - Parameter origin: the server's address, as the program uses it.
    package func link(
        _ owner: AccountOwner,
        _ wish: LinkWish,
        at origin: String,
        _ caller: Caller
    ) async throws(APIError) -> AccountLink {
        if let callback = wish.callbackURL { try rules.require(callback) }
        let url = try place.linkURL(at: origin)
        _ = try await logins.ports.server(wish.server)
        var random = SystemRandomNumberGenerator()
        let token = "lk_" + AccountService.word(32, &random)
        let now = clock()
        let link = StoredLink(
            tokenSHA256: Digest.sha256(Array(token.utf8)),
            expiresAt: now.adding(seconds: AccountService.linkSeconds),
            callbackURL: wish.callbackURL
        )
        let id: String
        if let known = wish.account {
            id = try await account(known, of: owner).id
            let isLinked = try await database.use { store throws(PersistenceError) in
                try await store.relinkAccount(id, of: owner.apiKey, link, now: now)
            }
            guard isLinked else { throw AccountService.unknown }
        } else {
            id = "ca_" + AccountService.word(20, &random)
            let isAdded = try await database.use { store throws(PersistenceError) in
                try await store.addAccount(id, of: owner, at: wish.server, alias: wish.alias, link, now: now)
            }
            guard isAdded else { throw AccountService.tooMany }
        }
        await record(.linkAccount, ConnectionKey(server: wish.server, account: id), caller)
        return AccountLink(accountID: id, token: token, url: url + token, expiresAt: link.expiresAt)
    }

    /// Throws 404 for the account of another key, as if it did not exist.
    package func account(_ id: String, ofKey apiKey: Int64?) async throws(APIError) -> StoredAccount {
        let found = try await database.use { store throws(PersistenceError) in try await store.connectedAccount(id) }
        guard let found, apiKey.map({ $0 == found.owner.apiKey }) ?? true else { throw AccountService.unknown }
        return found
    }

    /// Throws 404 for the account of another key or user.
    package func account(_ id: String, of owner: AccountOwner) async throws(APIError) -> StoredAccount {
        let found = try await account(id, ofKey: owner.apiKey)
        guard found.owner == owner else { throw AccountService.unknown }
        return found
    }

    /// A page of accounts, and the place behind its last one; `nil` if there are no more.
    package func accounts(
        _ selection: AccountSelection
    ) async throws(APIError) -> (accounts: [StoredAccount], next: ListCursor?) {
        var (found, cursor): ([StoredAccount], ListCursor?) = ([], selection.after)
        let (now, portion) = (clock(), max(selection.limit + 1, 50))
        while found.count <= selection.limit {
            let after = cursor
            let read = try await database.use { store throws(PersistenceError) in
                try await store.connectedAccounts(selection, after: after, atMost: portion)
            }
            found += read.filter { account in
                selection.statuses.isEmpty || selection.statuses.contains(account.status(at: now).status)
            }
            guard read.count == portion, let last = read.last else { break }
            cursor = ListCursor(at: last.createdAt, id: last.id)
        }
        guard found.count > selection.limit else { return (found, nil) }
        let page = Array(found.prefix(selection.limit))
        return (page, page.last.map { ListCursor(at: $0.createdAt, id: $0.id) })
    }

    /// The account whose tokens a call uses: the one of this id or alias, else the latest that has tokens. Returns
    /// `nil` if the user has none.
    package func usable(
        _ owner: AccountOwner,
        at server: String,
        named name: String? = nil
    ) async throws(APIError) -> StoredAccount? {
        try await accounts(of: owner, at: [server])
            .first { $0.isUsable && (name == nil || $0.id == name || $0.alias == name) }
    }

    /// The user's accounts at some servers, the latest first.
    package func accounts(
        of owner: AccountOwner,
        at servers: [String]
    ) async throws(APIError) -> [StoredAccount] {
        guard !servers.isEmpty else { return [] }
        var selection = AccountSelection(apiKey: owner.apiKey)
        (selection.users, selection.servers, selection.limit) = ([owner.user], servers, 1000)
        return try await accounts(selection).accounts
    }

    /// Returns the accounts when `isEnough` says so, or when the time is over.
    ///
    /// - Parameter isEnough: asked once at the beginning, and after each change.
    package func wait(
        for owner: AccountOwner,
        at servers: [String],
        seconds: Double,
        until isEnough: @Sendable ([StoredAccount], Timestamp) -> Bool
    ) async throws(APIError) -> [StoredAccount] {
        guard changes.waiting < AccountService.mostWaiting else { throw AccountService.tooManyWait }
        let end = clock().adding(seconds: seconds)
        while true {
            let round = changes.round
            let (found, now) = (try await accounts(of: owner, at: servers), clock())
            guard !isEnough(found, now), now < end, !Task.isCancelled else { return found }
            // Nobody sends a notification when a link expires.
            let expiries = found.compactMap(\.linkExpiresAt).filter { $0 > now }.map { $0.seconds(since: now) + 0.01 }
            let most = min(AccountService.lookSeconds, end.seconds(since: now), expiries.min() ?? .infinity)
            await changes.wait(after: round, atMost: most)
        }
    }
}

/// Ends of accounts.
extension AccountService {
    /// Deletes the account, and has its tokens revoked. Returns whether their issuer confirms it; `nil` without tokens.
    package func remove(_ account: StoredAccount, _ caller: Caller) async throws(APIError) -> Bool? {
        let isRemoved = try await database.use { store throws(PersistenceError) in
            try await store.removeAccount(account.id)
        }
        guard isRemoved else { throw AccountService.unknown }
        await record(.removeAccount, account.key, caller)
        let isRevoked = try await tokens.disconnect(account.key)
        await tell()
        return isRevoked
    }

    /// Has the account's tokens revoked. The account stays, so that its program learns why.
    package func revoke(
        _ account: StoredAccount,
        _ reason: String,
        _ caller: Caller
    ) async throws(APIError) -> Bool? {
        let (id, now) = (account.id, clock())
        let isChanged = try await database.use { store throws(PersistenceError) in
            try await store.revokeAccount(id, reason, now: now)
        }
        guard isChanged else { throw AccountService.unknown }
        await record(.revokeAccount, account.key, caller)
        let isRevoked = try await tokens.disconnect(account.key)
        await tell()
        return isRevoked
    }

    /// Has all tokens for a server revoked, some at a time. Call this before the server is removed.
    package func revokeAll(of server: String) async {
        let keys = try? await database.use { store throws(PersistenceError) in
            try await store.connections(of: server)
        }
        await disconnect(keys ?? [])
        await tell()
    }

    /// Regularly revokes the tokens that nobody can use any more, until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            let keys = try? await database.use { store throws(PersistenceError) in
                try await store.orphanedConnections(atMost: AccountService.batch)
            }
            await disconnect(keys ?? [])
            if keys?.count != Int(AccountService.batch) { try? await Task.sleep(for: .seconds(60)) }
        }
    }

    private func disconnect(_ keys: [ConnectionKey]) async {
        for start in stride(from: 0, to: keys.count, by: 8) {
            await withTaskGroup(of: Void.self) { group in
                for key in keys[start..<min(start + 8, keys.count)] {
                    group.addTask { _ = try? await tokens.disconnect(key) }
                }
            }
        }
    }

    /// Wakes all that wait, here and on other servers.
    func tell() async {
        changes.changed()
        try? await database.use { store throws(PersistenceError) in
            try await store.tellOthers(of: AccountChanges.word)
        }
    }

    func record(
        _ action: AuditAction,
        _ key: ConnectionKey,
        _ caller: Caller
    ) async {
        let actor = caller.principal?.auditName ?? "anonymous"
        await logins.record(action, key, AuditResult.granted.word, actor, caller)
    }

    private static func word(_ length: Int, _ random: inout SystemRandomNumberGenerator) -> String {
        String(decoding: Base62.random(length, using: &random), as: UTF8.self)
    }

    static let unknown = APIError.notFound("account_not_found", "There is no connected account of that id.")

    private static let tooMany = APIError(
        .conflict,
        status: 409,
        code: "too_many_accounts",
        message: "The user has 50 accounts at this server, or the key 10,000. Remove some first."
    )

    private static let tooManyWait = APIError(
        .rateLimit,
        status: 429,
        code: "too_many_waits",
        message: "Too many requests wait for connected accounts.",
        retryAfter: 10
    )
}
