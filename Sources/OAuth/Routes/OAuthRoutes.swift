internal import API
internal import Audit
internal import EventModel
internal import HTTPClient
internal import HTTPModel
internal import JSON

/// Logins at remote MCP servers.
struct OAuthRoutes: Sendable {
    let accounts: AccountService
    let connected: @Sendable (ConnectionKey) async -> Void

    private var logins: LoginService { accounts.logins }
    private var tokens: TokenService { accounts.tokens }
    private var place: LoginPlace { accounts.place }

    var routes: [Route] {
        var routes = [
            Route(.post, "/v1/mcp/servers/{id}/connect", .administer, handler: connect)
                .described(
                    "Begins a login at a remote MCP server, in the browser that asks.",
                    as: "MCPLogin",
                    faults: [404, 409, 422]
                )
                .described { $0.takingOptional(body: "MCPLoginRequest").notCached().named("connectMCPServer") },
            Route(.post, "/v1/mcp/servers/{id}/link", .administer, handler: link)
                .described(
                    "A link by which a person logs in at a remote MCP server, in any browser, once.",
                    as: "MCPLoginLink",
                    faults: [404, 409]
                )
                .described { $0.takingOptional(body: "MCPLoginRequest").notCached().named("linkMCPServer") },
            Route(.get, "/v1/mcp/servers/{id}/connection", .administer, handler: show)
                .described("The login at a remote MCP server.", as: "MCPConnection", faults: [404])
                .described { $0.named("getMCPConnection") },
            Route(.delete, "/v1/mcp/servers/{id}/connection", .administer, handler: disconnect)
                .described(
                    "Forgets the tokens of a remote MCP server, and has their issuer revoke them.",
                    as: "MCPDisconnected",
                    faults: [404]
                )
                .described { $0.named("disconnectMCPServer") },
            Route(.get, LoginPlace.callbackPath, .open, handler: finish).described {
                $0.saying("Where a browser comes back from a login at a remote MCP server. Refusals are pages, too.")
                    .answering(200, "text/html").answering(303, "").answering(403, "text/html")
                    .answering(422, "text/html").answering(503, "text/html").notCached()
            },
        ]
        if let id = place.document, let redirectURI = place.publicRedirectURI {
            let document = ClientDescription(redirectURI: redirectURI).document(at: id)
            routes.append(
                Route(.get, LoginPlace.documentPath, .open) { _ in .json(document) }.described {
                    $0.saying("This server as a client of authorization servers.").answering(200, "application/json")
                }
            )
        }
        return routes
    }

    @Sendable private func connect(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let redirectURI = try place.redirectURI(for: request.http)
        let kept = LoginCookie(in: request.http, isSecure: place.isSecure)?.secret
        guard let secret = kept ?? (try? PendingLogin.random()) else { throw .databaseUnavailable(retryAfter: 1) }
        var wish = LoginWish(redirectURI: redirectURI, browser: secret)
        try wish.read(RequestObject(optional: request.http.body))
        wish.document = place.document
        let begun = try await logins.begin(OAuthRoutes.key(request), wish, request.caller)
        var response = HTTPResponse.json(OAuthRoutes.begun, begun)
        let cookie = LoginCookie(secret: secret, isSecure: place.isSecure)
        response.headers += [("set-cookie", cookie.header(for: request.http)), ("cache-control", "no-store")]
        return response
    }

    @Sendable private func link(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let origin = ServerAddress(request.http, isSecure: place.isSecure).http
        let url = try place.linkURL(at: origin)
        var wish = LoginWish(redirectURI: "", browser: "")
        try wish.read(RequestObject(optional: request.http.body))
        let offer = try await logins.offer(OAuthRoutes.key(request), wish, request.caller)
        return .json(OAuthRoutes.linked, (url + offer.token, offer.expiresAt))
    }

    /// Answers a browser, so errors are pages too. The browser of a program's user goes where the program wants it.
    @Sendable private func finish(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let secret = LoginCookie(in: request.http, isSecure: place.isSecure)?.secret
        let end = await logins.end(request.http.query, browser: secret, request.caller)
        if let key = end.key, end.error == nil { await connected(key) }
        if let address = await accounts.ended(end) {
            var response = HTTPResponse(status: 303)
            response.headers += [
                ("location", address), ("cache-control", "no-store"), ("referrer-policy", "no-referrer"),
            ]
            return response
        }
        if let error = end.error { return LoginPage(error).response }
        return LoginPage.connected().response
    }

    @Sendable private func show(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard let found = try await tokens.connection(OAuthRoutes.key(request)) else { throw OAuthRoutes.none }
        return .json(StoredConnection.shape, found)
    }

    @Sendable private func disconnect(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let key = OAuthRoutes.key(request)
        guard let isRevoked = try await tokens.disconnect(key) else { throw OAuthRoutes.none }
        let actor = request.principal?.auditName ?? "anonymous"
        await logins.record(.disconnectServer, key, AuditResult.granted.word, actor, request.caller)
        return .json(OAuthRoutes.disconnected, (key.server, isRevoked))
    }

    private static func key(_ request: RouteRequest) -> ConnectionKey {
        ConnectionKey(server: request.parameters["id"] ?? "")
    }

    private static let none = APIError.notFound("not_connected", "Nobody has logged in at this server.")

    private static let begun = ObjectShape<(url: String, expiresAt: Timestamp)>("MCPLogin") { it in
        it.member("authorization_url") { $0.url }
        it.member("expires_at") { $0.expiresAt }
    }

    private static let linked = ObjectShape<(url: String, expiresAt: Timestamp)>("MCPLoginLink") { it in
        it.member("link_url") { $0.url }
        it.member("expires_at") { $0.expiresAt }
    }

    private static let disconnected = ObjectShape<(server: String, isRevoked: Bool)>("MCPDisconnected") { it in
        it.member("server_id") { $0.server }
        it.member("revoked") { $0.isRevoked }
    }

    static let schemas: [(SchemaName, String)] =
        begun.definitions + linked.definitions + disconnected.definitions + StoredConnection.shape.definitions + [
            (
                "MCPLoginRequest",
                JSONSchema.object([
                    "client_id?": JSONSchema.printable(2048), "client_secret?": JSONSchema.printable(2048),
                    "scope?": JSONSchema.printable(2000),
                    "trusted_origins?": JSONSchema.array(JSONSchema.printable(300)),
                ])
            )
        ]
}

extension LoginWish {
    fileprivate mutating func read(_ body: RequestObject) throws(APIError) {
        if let id = try body.optionalText("client_id", atMost: 2048) {
            let secret = try body.optionalText("client_secret", atMost: 2048)
            guard TokenText.isCredential(id), secret.map(TokenText.isCredential) ?? true else {
                throw .invalid("invalid_parameter", "'client_id' must be printable ASCII.", param: "client_id")
            }
            client = OAuthClient(id: id, secret: secret)
        }
        if let text = try body.optionalText("scope", atMost: 2000) {
            guard OAuthScope.names(text) != nil else {
                throw .invalid("invalid_parameter", "'scope' must be names with spaces between.", param: "scope")
            }
            scope = text
        }
        for text in try body.optionalNames("trusted_origins") ?? [] {
            guard let origin = HTTPLocation(text), origin.origin == text else {
                throw .invalid(
                    "invalid_parameter",
                    "'trusted_origins' must be origins such as https://login.example.",
                    param: "trusted_origins"
                )
            }
            trustedOrigins.insert(text)
        }
    }
}

extension StoredConnection {
    private enum State: String, CaseIterable {
        case connected
        case needsLogin = "needs_login"
    }

    static let shape = ObjectShape<StoredConnection>("MCPConnection") { it in
        it.member("server_id") { $0.key.server }
        it.word("state") { $0.isConnected ? State.connected : .needsLogin }
        it.member("reason") { $0.wantedScope == nil ? $0.reason : OAuthFault.Code.insufficientScope.rawValue }
        it.member("issuer") { $0.issuer }
        it.member("resource") { $0.resource }
        it.member("scope") { $0.scope }
        it.member("wanted_scope") { $0.wantedScope }
        it.member("expires_at") { $0.expiresAt }
        it.member("connected_by") { $0.connectedBy }
        it.member("connected_at") { $0.connectedAt }
        it.member("refreshed_at") { $0.refreshedAt }
    }
}
