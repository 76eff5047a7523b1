internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import OAuth
internal import Tools

/// Requests for links, by which users log in.
struct LinkRoutes: Sendable {
    let router: ToolRouter

    func routes(_ prefix: String) -> [Route] {
        [
            Route(.post, prefix + "/tool_router/session/{id}/link", .needs(.tools), handler: linkInSession).described(
                "A link by which the session's user logs in at a toolkit.",
                body: "RouterSessionLink",
                as: "RouterLink",
                status: 201,
                faults: [404, 409]
            ),
            Route(.post, prefix + "/connected_accounts/link", .needs(.tools), handler: link).described(
                "A link by which a user logs in at a toolkit.",
                body: "NewRouterLink",
                as: "RouterLink",
                status: 201,
                faults: [404, 409]
            ),
            Route(.post, prefix + "/connected_accounts", .needs(.tools), handler: initiate).described(
                "The same in an older form.",
                body: "RouterInitiation",
                as: "RouterInitiatedAccount",
                status: 201,
                faults: [404, 409]
            ),
        ]
    }

    @Sendable private func linkInSession(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try RouterCaller(request)
        let id = request.parameters["id"] ?? ""
        let session = try await SessionService(router: router).session(id, caller)
        let wish = try LinkRequest(request.http.body)
        guard let slug = wish.toolkit else { throw RouterFault.badRequest("'toolkit' is missing.", param: "toolkit") }
        let found = try await router.toolkits.toolkits(session.config.filter, [slug], for: caller.principal)
        guard let toolkit = found.first else { throw RouterFault.unknownToolkit(slug) }
        let link = try await router.connections.link(
            caller.owner(session.userID),
            to: RouterToolkit(toolkit),
            callback: wish.callback ?? session.config.callback,
            alias: wish.alias,
            at: router.origin(request)
        )
        return .json(status: 201, LinkAnswer.shape, link)
    }

    @Sendable private func link(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try RouterCaller(request)
        let link = try await made(try LinkRequest(request.http.body), caller, request)
        return .json(status: 201, LinkAnswer.shape, link)
    }

    @Sendable private func initiate(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try RouterCaller(request)
        let link = try await made(try LinkRequest(initiating: request.http.body), caller, request)
        return .json(status: 201, LinkAnswer.initiated, link)
    }

    private func made(
        _ wish: LinkRequest,
        _ caller: RouterCaller,
        _ request: RouteRequest
    ) async throws(APIError) -> ConnectionLink {
        guard let config = wish.authConfig else {
            throw RouterFault.badRequest("'auth_config_id' is missing.", param: "auth_config_id")
        }
        guard let user = wish.userID else { throw RouterFault.badRequest("'user_id' is missing.", param: "user_id") }
        let toolkit = try await router.toolkit(ofConfig: config, caller)
        return try await router.connections.link(
            caller.owner(user),
            to: RouterToolkit(toolkit),
            callback: wish.callback,
            alias: wish.alias,
            at: router.origin(request)
        )
    }

    static let schemas: [(SchemaName, String)] =
        LinkAnswer.shape.definitions + LinkAnswer.initiated.definitions + [
            ("NewRouterLink", LinkRequest.schema), ("RouterSessionLink", LinkRequest.sessionSchema),
            (
                "RouterInitiation",
                JSONSchema.object(["auth_config": JSONSchema.any, "connection": JSONSchema.any])
            ),
        ]
}

extension ToolRouter {
    /// The toolkit of a configuration, among those that the key may use.
    func toolkit(ofConfig id: String, _ caller: RouterCaller) async throws(APIError) -> Toolkit {
        let all = try await toolkits.toolkits(ToolkitFilter(), for: caller.principal)
        guard let server = AuthConfig.server(of: id), let found = all.first(where: { $0.serverID == server }) else {
            throw .notFound("auth_config_not_found", "There is no auth config of that id that the key may use.")
        }
        return found
    }
}
