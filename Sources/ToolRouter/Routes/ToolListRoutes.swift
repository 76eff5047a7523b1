internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Tools

/// `/tools`: all tools that a key may run, without a session.
struct ToolListRoutes: Sendable {
    let router: ToolRouter

    func routes(_ prefix: String) -> [Route] {
        [
            Route(.get, prefix + "/tools", .needs(.tools), handler: list).described(
                "Tools that the key may run. With words, the fittest first.",
                RouterPage.parameters() + [
                    .text("toolkit_slug", "Of these toolkits, with commas between."),
                    .text("tool_slugs", "Only these, with commas between."),
                    .text("query", "Words; one at least must occur in a tool's name, description or arguments.")
                        .or("search"),
                    .text("tags", "With one of these hints, with commas between.").repeatable(),
                ],
                as: "RouterToolPage"
            ),
            Route(.get, prefix + "/tools/{slug}", .needs(.tools), handler: show)
                .described("One tool.", as: "RouterTool", faults: [404]),
            Route(.get, prefix + "/toolkits", .needs(.tools), handler: toolkits).described(
                "Toolkits that the key may use.",
                RouterPage.parameters() + [.text("search", "A part of the name.")],
                as: "RouterToolkitPage"
            ),
            Route(.get, prefix + "/toolkits/{slug}", .needs(.tools), handler: toolkit)
                .described("One toolkit.", as: "RouterToolkit", faults: [404]),
        ]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try RouterCaller(request)
        let page = try RouterPage(request.query, usual: 20)
        var filter = ToolkitFilter()
        let (toolkits, slugs) = (request.query.list("toolkit_slug"), request.query.list("tool_slugs"))
        let tags = request.query.list("tags").filter { SessionConfig.hintNames.contains($0) }
        if !toolkits.isEmpty { filter.toolkits = toolkits.map(ConfigReader.toolkit) }
        if !slugs.isEmpty { filter.slugs = slugs.map { $0.uppercased() } }
        if !tags.isEmpty { filter.hints = ToolkitFilter.Hints(enabled: tags) }
        let (found, total) = try await router.toolkits.tools(
            filter,
            words: request.query["query"] ?? request.query["search"],
            limit: page.limit,
            offset: page.offset,
            for: caller.principal
        )
        return page.response(found.map { RouterTool($0) }, of: RouterTool.shape, total: Int(clamping: total))
    }

    @Sendable private func show(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let slug = (request.parameters["slug"] ?? "").uppercased()
        let caller = try RouterCaller(request)
        if let meta = MetaTool(rawValue: slug) { return .json(RouterTool.shape, RouterTool(meta: meta)) }
        let scope = RouterCalls.Scope(userID: "")
        let tool = try await RouterCalls(router: router).tool(slug, in: scope, caller)
        return .json(RouterTool.shape, RouterTool(tool))
    }

    @Sendable private func toolkits(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try RouterCaller(request)
        let page = try RouterPage(request.query, usual: 20)
        var all = try await router.toolkits.toolkits(ToolkitFilter(), for: caller.principal)
        if let part = request.query["search"]?.lowercased(), !part.isEmpty {
            all = all.filter { $0.slug.contains(part) || $0.name.lowercased().contains(part) }
        }
        return page.response(page.part(of: all), of: Toolkit.shape, total: all.count)
    }

    @Sendable private func toolkit(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let slug = (request.parameters["slug"] ?? "").lowercased()
        let caller = try RouterCaller(request)
        let found = try await router.toolkits.toolkits(ToolkitFilter(), [slug], for: caller.principal)
        guard let toolkit = found.first else { throw RouterFault.unknownToolkit(slug) }
        return .json(Toolkit.shape, toolkit)
    }

    static let schemas: [(SchemaName, String)] =
        [("RouterToolkitPage", RouterPage.schema("RouterToolkit"))] + Toolkit.shape.definitions
}

extension Toolkit {
    static let shape = ObjectShape<Toolkit>("RouterToolkit") { it in
        it.member("slug") { $0.slug }
        it.member("name") { $0.name }
        it.member("enabled") { _ in true }
        it.member("is_local_toolkit") { !$0.isRemote }
        it.member("composio_managed_auth_schemes") { _ in [String]() }
        it.object("meta") { it in
            it.member("description") { $0.summary }
            it.member("logo") { _ in "" }
            it.member("tools_count") { $0.toolCount }
            it.member("version") { _ in RouterTool.version }
        }
    }
}
