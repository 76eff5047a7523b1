internal import API
internal import EventModel
package import HTTPModel
package import OAuth

/// The connections of programs' users: their accounts at remote MCP servers, and the operator's own logins for keys
/// that may share them. May be used on any task.
package struct AccountDirectory: ConnectionDirectory {
    /// Stands for no login: the call is sent without credentials.
    static let noAccount = ""

    let accounts: AccountService

    package init(_ accounts: AccountService) {
        self.accounts = accounts
    }

    package func connections(
        of owner: ConnectionOwner,
        to toolkits: [RouterToolkit]
    ) async throws(APIError) -> [String: ToolkitConnection] {
        let remote = toolkits.filter(\.isRemote)
        let needs = try await accounts.needs(of: remote.map(\.serverID))
        let found = try await accounts.accounts(of: AccountOwner(owner), at: remote.map(\.serverID))
        return states(of: remote, owner, needs, found, at: accounts.now)
    }

    private func states(
        of toolkits: [RouterToolkit],
        _ owner: ConnectionOwner,
        _ needs: [String: LoginNeed],
        _ found: [StoredAccount],
        at now: Timestamp
    ) -> [String: ToolkitConnection] {
        var states: [String: ToolkitConnection] = [:]
        for toolkit in toolkits {
            let own = found.filter { $0.serverID == toolkit.serverID }
            let isShared = owner.key.shares.contains(toolkit.name)
            states[toolkit.slug] = ToolkitConnection(own, needs[toolkit.serverID] ?? .none, isShared: isShared, at: now)
        }
        return states
    }

    package func link(
        _ owner: ConnectionOwner,
        to toolkit: RouterToolkit,
        callback: String?,
        alias: String?,
        at origin: String
    ) async throws(APIError) -> ConnectionLink {
        guard toolkit.isRemote else { throw RouterFault.noLogin(toolkit.slug) }
        switch try await accounts.needs(of: [toolkit.serverID])[toolkit.serverID] ?? .none {
        case .none: throw RouterFault.noLogin(toolkit.slug)
        case .headers: throw RouterFault.noManagedAuth(toolkit.slug)
        case .login: break
        }
        var wish = LinkWish(server: toolkit.serverID, callbackURL: callback, alias: alias)
        // A login that is no longer valid, or lacks scope, is renewed, so that its id stays.
        let own = try await accounts.accounts(of: AccountOwner(owner), at: [toolkit.serverID])
        let last = own.first { alias == nil || $0.alias == alias }
        if let last, let login = last.login, last.state == .active, !last.isUsable || login.wantedScope != nil {
            wish.account = last.id
        }
        let link = try await accounts.link(AccountOwner(owner), wish, at: origin, Caller(owner))
        return ConnectionLink(
            accountID: link.accountID,
            token: link.token,
            url: link.url,
            expiresAt: link.expiresAt
        )
    }

    package func wait(
        for owner: ConnectionOwner,
        to toolkits: [RouterToolkit],
        seconds: Double
    ) async throws(APIError) -> [String: ToolkitConnection] {
        let remote = toolkits.filter(\.isRemote)
        let servers = remote.map(\.serverID)
        let needs = try await accounts.needs(of: servers)
        let found = try await accounts.wait(for: AccountOwner(owner), at: servers, seconds: seconds) { found, now in
            let states = self.states(of: remote, owner, needs, found, at: now)
            let hasFailed = remote.contains { toolkit in
                let last = found.first { $0.serverID == toolkit.serverID }
                return states[toolkit.slug]?.isUsable == false && last?.status(at: now).status.isFinal == true
            }
            return hasFailed || states.values.allSatisfy(\.isUsable)
        }
        return states(of: remote, owner, needs, found, at: accounts.now)
    }

    /// Uses the user's own login, or the operator's if the key may share it.
    package func account(
        of owner: ConnectionOwner,
        for toolkit: RouterToolkit,
        wish: String?
    ) async throws(APIError) -> String? {
        guard toolkit.isRemote else { return nil }
        let own = try await accounts.usable(AccountOwner(owner), at: toolkit.serverID, named: wish)
        if let own { return own.id }
        guard wish == nil else { throw RouterFault.noConnection(toolkit.slug) }
        if owner.key.shares.contains(toolkit.name) { return nil }
        let need = try await accounts.needs(of: [toolkit.serverID])[toolkit.serverID] ?? .none
        guard need == .none else { throw RouterFault.noConnection(toolkit.slug) }
        return AccountDirectory.noAccount
    }
}

extension AccountOwner {
    init(_ owner: ConnectionOwner) { self.init(apiKey: owner.key.id, user: owner.userID) }
}

extension Caller {
    fileprivate init(_ owner: ConnectionOwner) {
        self.init(peer: "", requestID: "", principal: Principal(.apiKey(owner.key)))
    }
}

extension ToolkitConnection {
    /// - Parameter own: the user's accounts at the server, the latest first.
    init(_ own: [StoredAccount], _ need: LoginNeed, isShared: Bool, at now: Timestamp) {
        if let usable = own.first(where: \.isUsable) {
            self.init(.active, account: ConnectedAccount(usable, at: now))
        } else if isShared || need == .none {
            self.init(.none)
        } else if let last = own.first {
            let state: State =
                switch last.status(at: now).status {
                case .initializing, .initiated: .initiated
                case .expired: .expired
                case .active, .failed, .inactive, .revoked: .missing
                }
            self.init(state, account: ConnectedAccount(last, at: now))
        } else {
            self.init(.missing)
        }
    }
}

extension ConnectedAccount {
    init(_ account: StoredAccount, at now: Timestamp) {
        self.init(
            id: account.id,
            userID: account.owner.user,
            status: account.status(at: now).status.rawValue,
            authConfigID: AuthConfig.id(of: account.serverID),
            authScheme: account.authScheme,
            createdAt: account.createdAt
        )
    }
}

extension StoredAccount {
    /// How this server got its client id at the authorization server.
    var authScheme: String {
        guard let login else { return "OAUTH2" }
        if login.isRegistered { return "DCR_OAUTH" }
        return login.clientID.hasPrefix("https://") ? "CIMD_OAUTH" : "OAUTH2"
    }
}
