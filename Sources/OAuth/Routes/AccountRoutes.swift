internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// What the operator sees of the accounts of programs' users, and can take from them.
struct AccountRoutes: Sendable {
    private static let path = "/v1/mcp/accounts"

    let accounts: AccountService

    var routes: [Route] {
        [
            Route(.get, AccountRoutes.path, .administer, handler: list)
                .described(
                    "The accounts of programs' users at remote MCP servers, the latest first.",
                    QueryParameter.paging.prefix(2) + [
                        .text("server_id", "Only accounts at this server."),
                        .text("api_key", "Only accounts of this key, by its id."),
                        .text("user_id", "Only accounts of this user."),
                    ],
                    as: "MCPAccountPage"
                )
                .described { $0.named("listMCPAccounts") },
            Route(.delete, AccountRoutes.path + "/{id}", .administer, handler: revoke)
                .described(
                    "Has the tokens of an account revoked. Its program sees it as REVOKED.",
                    as: "MCPAccountRevoked",
                    faults: [404]
                )
                .described { $0.named("revokeMCPAccount") },
        ]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: AccountRoutes.path, .byCursor)
        var selection = AccountSelection(apiKey: try request.query.integer("api_key", in: 1...Int64.max))
        selection.users = request.query["user_id"].map { [$0] } ?? []
        selection.servers = request.query["server_id"].map { [$0] } ?? []
        selection.after = try ListCursor(paging)
        selection.limit = paging.limit ?? 50
        let (found, next) = try await accounts.accounts(selection)
        let now = accounts.clock()
        let shown = found.map { ($0, now) }
        return ListAnswer(paging, request, at: now)
            .response("accounts", shown, of: AccountRoutes.account, next: next?.text)
    }

    @Sendable private func revoke(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let account = try await accounts.account(request.parameters["id"] ?? "", ofKey: nil)
        let isRevoked = try await accounts.revoke(account, "removed_by_operator", request.caller)
        return .json(AccountRoutes.revoked, (account.id, isRevoked ?? true))
    }

    private static let account = ObjectShape<(account: StoredAccount, now: Timestamp)>("MCPAccount") { it in
        it.member("id") { $0.account.id }
        it.member("server_id") { $0.account.serverID }
        it.member("server") { $0.account.server }
        it.member("api_key_id") { String($0.account.owner.apiKey) }
        it.member("api_key") { $0.account.keyName }
        it.member("user_id") { $0.account.owner.user }
        it.member("alias") { $0.account.alias }
        it.word("status") { $0.account.status(at: $0.now).status }
        it.member("reason") { $0.account.status(at: $0.now).reason }
        it.member("scope") { $0.account.login?.scope }
        it.member("wanted_scope") { $0.account.login?.wantedScope }
        it.member("expires_at") { $0.account.login?.expiresAt }
        it.member("created_at") { $0.account.createdAt }
        it.member("updated_at") { $0.account.updatedAt }
    }

    private static let revoked = ObjectShape<(id: String, isRevoked: Bool)>("MCPAccountRevoked") { it in
        it.member("id") { $0.id }
        it.member("revoked") { $0.isRevoked }
    }

    static let schemas: [(SchemaName, String)] =
        account.definitions + revoked.definitions + [
            ("MCPAccountPage", JSONSchema.page("accounts", "MCPAccount"))
        ]
}
