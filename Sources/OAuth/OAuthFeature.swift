package import API
internal import Persistence

extension Feature {
    /// Logins at remote MCP servers that ask for OAuth 2.1, and the tokens that these give.
    ///
    /// - Parameter connected: runs before a browser is told that a login has connected a server.
    package static func oauth(
        _ accounts: AccountService,
        connected: @escaping @Sendable (ConnectionKey) async -> Void
    ) -> Feature {
        var feature = Feature("oauth")
        let routes = OAuthRoutes(accounts: accounts, connected: connected)
        let links = LinkRoutes(accounts: accounts)
        feature.routes = routes.routes + links.routes + AccountRoutes(accounts: accounts).routes
        feature.schemas = OAuthRoutes.schemas + AccountRoutes.schemas
        feature.retention = [.once(AccountStatements.forget, .seconds(30 * 86_400))]
        feature.run = { await accounts.run() }
        let connection = "server_id || '/' || account"
        feature.sealed = [
            SealedColumn("access_token", of: "oauth_connections", row: connection),
            SealedColumn("refresh_token", of: "oauth_connections", row: connection),
            SealedColumn("client_secret", of: "oauth_connections", row: connection),
            SealedColumn("login", of: "oauth_logins", row: "encode(state_sha256, 'hex')"),
            SealedColumn("client_secret", of: "oauth_clients", row: "issuer || ' ' || redirect_uri"),
        ]
        return feature
    }
}
