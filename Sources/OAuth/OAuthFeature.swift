package import API

extension Feature {
    /// Logins at remote MCP servers that ask for OAuth 2.1, and the tokens that these give.
    package static func oauth(_ logins: LoginService, _ tokens: TokenService, at place: LoginPlace) -> Feature {
        var feature = Feature("oauth")
        feature.routes = OAuthRoutes(logins: logins, tokens: tokens, place: place).routes
        feature.schemas = OAuthRoutes.schemas
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
