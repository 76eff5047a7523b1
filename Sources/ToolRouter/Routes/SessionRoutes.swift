internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Tools

/// `/tool_router/session`: sessions of the tool router.
struct SessionRoutes: Sendable {
    let router: ToolRouter
    var sessions: SessionService { SessionService(router: router) }

    /// - Parameter prefix: the version's, such as `/api/v3`.
    func routes(_ prefix: String) -> [Route] {
        let one = prefix + "/tool_router/session/{id}"
        return [
            Route(.post, prefix + "/tool_router/session", .needs(.tools), handler: create).described(
                "A new session, in which a program runs tools for one of its users.",
                body: "NewRouterSession",
                as: "RouterSession",
                status: 201
            ),
            Route(.get, one, .needs(.tools), handler: show)
                .described("One session.", as: "RouterSession", faults: [404]),
            Route(.patch, one, .needs(.tools), handler: change).described(
                "Changes a session: what the body names is replaced.",
                body: "RouterSessionChange",
                as: "RouterSession",
                faults: [404, 409]
            ),
            Route(.delete, one, .needs(.tools), handler: delete)
                .described("Deletes a session.", as: "DeletedRouterSession", faults: [404]),
            Route(.get, one + "/tools", .needs(.tools), handler: tools).described(
                "The tools that the session has without a search: the tool router's own, and those loaded before.",
                RouterPage.parameters(),
                as: "RouterToolPage",
                faults: [404]
            ),
            Route(.get, one + "/toolkits", .needs(.tools), handler: toolkits).described(
                "The toolkits of the session, and whether they are connected.",
                RouterPage.parameters() + [
                    .text("toolkits", "Only these, with commas between."),
                    .choice("is_connected", ["true", "false"], "Whether calls can be made."),
                    .text("search", "A part of the name."),
                ],
                as: "SessionToolkitPage",
                faults: [404]
            ),
        ]
    }

    @Sendable private func create(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        try await answer(try await sessions.create(request.http.body, try RouterCaller(request)), request, status: 201)
    }

    @Sendable private func show(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        try await answer(try await session(request), request)
    }

    @Sendable private func change(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let id = request.parameters["id"] ?? ""
        return try await answer(try await sessions.change(id, request.http.body, try RouterCaller(request)), request)
    }

    @Sendable private func delete(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let id = request.parameters["id"] ?? ""
        try await sessions.delete(id, try RouterCaller(request))
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("session_id", id)
        writer.field("deleted", true)
        writer.endObject()
        return .json(writer.bytes)
    }

    private func session(_ request: RouteRequest) async throws(APIError) -> RouterSession {
        try await sessions.session(request.parameters["id"] ?? "", try RouterCaller(request))
    }

    private func answer(
        _ session: RouterSession,
        _ request: RouteRequest,
        status: Int = 200
    ) async throws(APIError) -> HTTPResponse {
        let shown = ShownSession(
            session: session,
            url: "\(router.origin(request))/tool_router/\(session.id)/mcp",
            tools: MetaTool.listed(in: session.config).map(\.rawValue),
            hasSingleAccounts: request.http.path.hasPrefix("/api/v3/")
        )
        return .json(status: status, ShownSession.shape, shown)
    }

    @Sendable private func tools(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try RouterCaller(request)
        let session = try await session(request)
        let page = try RouterPage(request.query, usual: 500)
        let own = MetaTool.listed(in: session.config).map(RouterTool.init(meta:))
        let shown = page.part(of: own)
        let rest = page.limit - shown.count
        let (found, total) = try await SessionTools(router: router).preloaded(
            of: session,
            limit: max(rest, 1),
            offset: max(0, page.offset - own.count),
            caller
        )
        return page.response(shown + found.prefix(rest), of: RouterTool.shape, total: own.count + total)
    }

    @Sendable private func toolkits(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try RouterCaller(request)
        let session = try await session(request)
        let page = try RouterPage(request.query, usual: 20)
        let names = request.query.list("toolkits").map { $0.lowercased() }
        var all = try await SessionTools(router: router).toolkits(of: session, names.isEmpty ? nil : names, caller)
        if let part = request.query["search"]?.lowercased(), !part.isEmpty {
            all = all.filter { $0.toolkit.slug.contains(part) || $0.toolkit.name.lowercased().contains(part) }
        }
        if let word = request.query["is_connected"] {
            all = all.filter { $0.connection.isUsable == (word == "true") }
        }
        return page.response(page.part(of: all), of: SessionToolkit.shape, total: all.count)
    }

    static let schemas: [(SchemaName, String)] =
        [
            ("NewRouterSession", JSONSchema.object(["user_id": JSONSchema.printable(256), "toolkits?": rule])),
            ("RouterSessionChange", JSONSchema.object(["toolkits?": rule])),
            (
                "DeletedRouterSession",
                JSONSchema.object(["session_id": JSONSchema.text, "deleted": JSONSchema.flag])
            ),
            ("RouterToolPage", RouterPage.schema("RouterTool")),
            ("SessionToolkitPage", RouterPage.schema("SessionToolkit")),
        ] + ShownSession.shape.definitions + RouterTool.shape.definitions + SessionToolkit.shape.definitions

    private static let rule = JSONSchema.either([JSONSchema.texts, JSONSchema.any])
}
