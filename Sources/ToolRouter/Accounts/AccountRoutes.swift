internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import OAuth
internal import Tools

/// `/connected_accounts` and `/auth_configs`: the accounts of a program's users. A program sees those of its own key.
struct AccountRoutes: Sendable {
    let router: ToolRouter
    let accounts: AccountService

    func routes(_ prefix: String) -> [Route] {
        let (list, configs) = (prefix + "/connected_accounts", prefix + "/auth_configs")
        return [
            Route(.get, list, .needs(.tools), handler: self.list).described(
                "Accounts of the program's users, the latest first.",
                AccountRoutes.parameters,
                as: "RouterAccountPage"
            ),
            Route(.get, list + "/{id}", .needs(.tools), handler: show)
                .described("One account.", as: "RouterAccount", faults: [404]),
            Route(.delete, list + "/{id}", .needs(.tools), handler: delete)
                .described(
                    "Forgets an account, and has its tokens revoked.",
                    as: "DeletedRouterAccount",
                    faults: [404]
                ),
            Route(.post, list + "/{id}/revoke", .needs(.tools), handler: revoke)
                .described("Has the tokens of an account revoked.", as: "RevokedRouterAccount", faults: [404]),
            Route(.post, list + "/{id}/refresh", .needs(.tools), handler: renew).described(
                "A link by which the user of an account logs in anew.",
                as: "RouterInitiatedAccount",
                faults: [404, 409]
            ),
            Route(.get, configs, .needs(.tools), handler: listConfigs).described(
                "How users log in: one for each toolkit that has a login.",
                RouterPage.parameters() + [.text("toolkit_slug", "Only of these toolkits, with commas between.")],
                as: "RouterAuthConfigPage"
            ),
            Route(.post, configs, .needs(.tools), handler: makeConfig).described(
                "The configuration of a toolkit. It is there already.",
                body: "NewRouterAuthConfig",
                as: "MadeRouterAuthConfig",
                status: 201,
                faults: [404]
            ),
            Route(.get, configs + "/{id}", .needs(.tools), handler: showConfig)
                .described("One configuration.", as: "RouterAuthConfig", faults: [404]),
        ]
    }

    private static let parameters: [QueryParameter] = [
        .integer("limit", 1...1000, "How many."),
        .text("cursor", matching: "^[0-9]{1,16}~.+$", "The 'next_cursor' of the page before."),
        .text("user_ids", "Only of these users, with commas between.").repeatable(),
        .text("toolkit_slugs", "Only at these toolkits.").repeatable(),
        .text("statuses", "Only in these states, such as ACTIVE.").repeatable(),
        .text("auth_config_ids", "Only by these configurations.").repeatable(),
        .text("connected_account_ids", "Only these.").repeatable(),
        .choice("order_by", ["created_at", "updated_at"], "Not used."),
        .choice("order_direction", ["asc", "desc"], "Not used."),
        .choice("account_type", ["PRIVATE", "SHARED", "ALL"], "All accounts are private."),
    ]

    // MARK: Accounts

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try RouterCaller(request)
        let toolkits = try await router.toolkits.toolkits(ToolkitFilter(), for: caller.principal).filter(\.isRemote)
        let query = request.query
        var selection = AccountSelection(apiKey: caller.key.id)
        let slugs = query.list("toolkit_slugs").map { $0.lowercased() }
        let configs = query.list("auth_config_ids").map { AuthConfig.server(of: $0) ?? "" }
        selection.servers = toolkits.filter { toolkit in
            (slugs.isEmpty || slugs.contains(toolkit.slug)) && (configs.isEmpty || configs.contains(toolkit.serverID))
        }.map(\.serverID)
        (selection.users, selection.ids) = (query.list("user_ids"), query.list("connected_account_ids"))
        for word in query.list("statuses") {
            guard let status = AccountStatus(rawValue: word.uppercased()) else {
                throw RouterFault.badRequest("'statuses' has a word that is none.", param: "statuses")
            }
            selection.statuses.insert(status)
        }
        selection.limit = try query.integer("limit", in: 1...1000).map { Int($0) } ?? 20
        selection.after = try AccountRoutes.cursor(query["cursor"])
        let isEmpty = selection.servers.isEmpty
        let (found, next) = isEmpty ? ([], nil) : try await accounts.accounts(selection)
        let names = Dictionary(toolkits.map { ($0.serverID, $0.slug) }) { first, _ in first }
        var writer = JSONWriter(reserving: 1024 * (found.count + 1))
        writer.beginObject()
        writer.beginArray("items")
        for one in found { ShownAccount.shape.write(shown(one, names[one.serverID] ?? ""), to: &writer) }
        writer.endArray()
        writer.textOrNull("next_cursor", next?.text)
        writer.field("total_pages", next == nil ? 1 : 2)
        writer.field("current_page", 1)
        writer.field("total_items", found.count)
        writer.endObject()
        return .json(writer.bytes)
    }

    private static func cursor(_ text: String?) throws(APIError) -> ListCursor? {
        guard let text else { return nil }
        let parts = text.split(separator: "~", maxSplits: 1)
        guard parts.count == 2, let key = Int64(parts[0]), key >= 0 else {
            throw RouterFault.badRequest("'cursor' is not one that a list gave out.", param: "cursor")
        }
        return ListCursor(key: key, id: String(parts[1]))
    }

    private func shown(_ account: StoredAccount, _ toolkit: String) -> ShownAccount {
        ShownAccount(
            account: account,
            toolkit: toolkit,
            now: router.clock(),
            isSeedCompatible: router.isSeedCompatible
        )
    }

    /// The account that a request names, and the slug of its toolkit. Throws 404 if it belongs to another key.
    private func account(
        _ request: RouteRequest,
        _ caller: RouterCaller
    ) async throws(APIError) -> (account: StoredAccount, toolkit: Toolkit) {
        let found = try await accounts.account(request.parameters["id"] ?? "", ofKey: caller.key.id)
        let config = AuthConfig.id(of: found.serverID)
        return (found, try await router.toolkit(ofConfig: config, caller))
    }

    @Sendable private func show(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let (found, toolkit) = try await account(request, try RouterCaller(request))
        return .json(ShownAccount.shape, shown(found, toolkit.slug))
    }

    @Sendable private func delete(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try RouterCaller(request)
        let found = try await accounts.account(request.parameters["id"] ?? "", ofKey: caller.key.id)
        let isRevoked = try await accounts.remove(found, caller.caller)
        return .json(AccountRoutes.deleted, isRevoked)
    }

    @Sendable private func revoke(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try RouterCaller(request)
        let (found, toolkit) = try await account(request, caller)
        let isRevoked = try await accounts.revoke(found, "revoked_by_program", caller.caller)
        let after = try await accounts.account(found.id, ofKey: caller.key.id)
        return .json(AccountRoutes.revoked, (shown(after, toolkit.slug), isRevoked))
    }

    @Sendable private func renew(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try RouterCaller(request)
        let found = try await account(request, caller).account
        let wish = LinkWish(server: found.serverID, callbackURL: found.callbackURL, account: found.id)
        let link = try await accounts.link(found.owner, wish, at: router.origin(request), caller.caller)
        let shown = ConnectionLink(
            accountID: link.accountID,
            token: link.token,
            url: link.url,
            expiresAt: link.expiresAt
        )
        return .json(LinkAnswer.initiated, shown)
    }

    // MARK: Configurations

    @Sendable private func listConfigs(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try RouterCaller(request)
        let page = try RouterPage(request.query, usual: 20)
        let slugs = request.query.list("toolkit_slug").map { $0.lowercased() }
        let all = try await configs(caller).filter { slugs.isEmpty || slugs.contains($0.toolkit.slug) }
        return page.response(page.part(of: all), of: AuthConfig.shape, total: all.count)
    }

    @Sendable private func showConfig(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try RouterCaller(request)
        let toolkit = try await router.toolkit(ofConfig: request.parameters["id"] ?? "", caller)
        return .json(AuthConfig.shape, try await config(of: toolkit, caller))
    }

    @Sendable private func makeConfig(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try RouterCaller(request)
        let slug =
            try JSONValue(object: request.http.body, maxDepth: 16)["toolkit"]?["slug"]?.string?.lowercased() ?? ""
        let all = try await configs(caller)
        guard let found = all.first(where: { $0.toolkit.slug == slug }) else {
            let known = try await router.toolkits.toolkits(ToolkitFilter(), [slug], for: caller.principal)
            throw known.isEmpty ? RouterFault.unknownToolkit(slug) : RouterFault.noLogin(slug)
        }
        return .json(status: 201, AuthConfig.made, found)
    }

    /// The configurations of all toolkits that have a login.
    private func configs(_ caller: RouterCaller) async throws(APIError) -> [AuthConfig] {
        let remote = try await router.toolkits.toolkits(ToolkitFilter(), for: caller.principal).filter(\.isRemote)
        let needs = try await accounts.needs(of: remote.map(\.serverID))
        var configs: [AuthConfig] = []
        for toolkit in remote where needs[toolkit.serverID] == .login {
            configs.append(try await config(of: toolkit, caller))
        }
        return configs
    }

    private func config(of toolkit: Toolkit, _ caller: RouterCaller) async throws(APIError) -> AuthConfig {
        var selection = AccountSelection(apiKey: caller.key.id)
        (selection.servers, selection.statuses, selection.limit) = ([toolkit.serverID], [.active], 1000)
        let active = try await accounts.accounts(selection).accounts
        return AuthConfig(toolkit: toolkit, connections: active.count, createdAt: router.clock())
    }

    private static let deleted = ObjectShape<Bool?>("DeletedRouterAccount") { it in
        it.member("success") { _ in true }
        it.member("revoked") { $0 }
    }

    private static let revoked = ObjectShape<(account: ShownAccount, isRevoked: Bool?)>("RevokedRouterAccount") { it in
        it.object("connected_account", ShownAccount.shape) { $0.account }
        it.member("revoked_tokens") { $0.isRevoked == true ? ["access_token", "refresh_token"] : [String]() }
    }

    static let schemas: [(SchemaName, String)] =
        ShownAccount.shape.definitions + deleted.definitions + revoked.definitions + AuthConfig.shape.definitions
        + AuthConfig.made.definitions + [
            ("RouterAccountPage", RouterPage.schema("RouterAccount")),
            ("RouterAuthConfigPage", RouterPage.schema("RouterAuthConfig")),
            ("NewRouterAuthConfig", JSONSchema.object(["toolkit": JSONSchema.any, "auth_config?": JSONSchema.any])),
        ]
}
