internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// Runs tools of sessions and of the tool router itself, and searches.
struct ExecuteRoutes: Sendable {
    let router: ToolRouter

    /// Longer than a tool may run, and longer than a program may wait for a person or for connections.
    private static let longest = 750.0

    private var calls: RouterCalls { RouterCalls(router: router) }
    private var metaTools: MetaTools { MetaTools(router: router) }

    func routes(_ prefix: String) -> [Route] {
        let one = prefix + "/tool_router/session/{id}"
        let all = [
            waiting(Route(.post, one + "/execute", .needs(.tools), handler: execute)).described(
                "Runs a tool of a session, once a person or a rule has approved the call.",
                body: "RouterExecution",
                as: "RouterAnswer",
                faults: [404]
            ),
            waiting(Route(.post, one + "/execute_meta", .needs(.tools), handler: execute)).described(
                "Runs one of the tool router's own tools, or a tool of the session.",
                body: "RouterExecution",
                as: "RouterAnswer",
                faults: [404]
            ),
            waiting(Route(.post, prefix + "/tools/execute/{slug}", .needs(.tools), handler: executeDirectly)).described(
                "Runs a tool for a user, without a session.",
                body: "DirectExecution",
                as: "DirectAnswer",
                faults: [404]
            ),
        ]
        guard prefix != "/api/v3" else { return all }
        return all + [
            Route(.post, one + "/search", .needs(.tools), handler: search)
                .described(
                    "Finds tools for what a user wants to do.",
                    body: "RouterSearch",
                    as: "RouterFound",
                    faults: [404]
                )
        ]
    }

    private func waiting(_ route: Route) -> Route {
        route.accepting(bytes: ExecuteRequest.mostBytes).waiting { request in
            let overdue = RouterFault.response(
                ExecuteRoutes.late.response(requestID: request.http.requestID),
                requestID: request.http.requestID
            )
            return AnswerWait(seconds: ExecuteRoutes.longest, overdue: overdue)
        }
    }

    private static let late = APIError.unavailable("call_waiting", "The call still runs.", retryAfter: 5)

    private func session(_ request: RouteRequest, _ caller: RouterCaller) async throws(APIError) -> RouterSession {
        try await SessionService(router: router).session(request.parameters["id"] ?? "", caller)
    }

    @Sendable private func execute(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try RouterCaller(request)
        let session = try await session(request, caller)
        let asked = try ExecuteRequest(request.http.body)
        if let meta = try metaTools.named(asked.slug, in: session) {
            return try await metaTools.run(meta, asked.arguments, in: session, caller, at: router.origin(request))
        }
        // Clients of the first version cannot continue a call.
        let patience = request.http.path.hasPrefix("/api/v3/") && asked.state == nil ? RouterCalls.patience : 0
        return try await calls.run(asked, in: RouterCalls.Scope(session), caller, patience: patience).response
    }

    @Sendable private func executeDirectly(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try RouterCaller(request)
        let asked = try ExecuteRequest(request.http.body, slug: request.parameters["slug"] ?? "")
        let scope = RouterCalls.Scope(userID: asked.userID ?? "default")
        let reply = try await calls.run(asked, in: scope, caller, patience: RouterCalls.patience)
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        reply.writePlain(to: &writer)
        writer.endObject()
        return .json(writer.bytes)
    }

    @Sendable private func search(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try RouterCaller(request)
        let session = try await session(request, caller)
        return .json(try await metaTools.search(try ExecuteRequest.object(request.http.body), in: session, caller))
    }

    static let schemas: [(SchemaName, String)] = [
        ("RouterExecution", ExecuteRequest.schema), ("DirectExecution", ExecuteRequest.schema),
        ("RouterAnswer", CallReply.schema), ("DirectAnswer", CallReply.plainSchema),
        ("RouterSearch", JSONSchema.object(["queries": JSONSchema.array(JSONSchema.any)])),
        (
            "RouterFound",
            JSONSchema.object([
                "success": JSONSchema.flag, "error": JSONSchema.textOrNull, "results": JSONSchema.array(JSONSchema.any),
                "tool_schemas": JSONSchema.any, "toolkit_connection_statuses": JSONSchema.array(JSONSchema.any),
                "next_steps_guidance": JSONSchema.texts, "session": JSONSchema.any, "time_info": JSONSchema.any,
            ])
        ),
    ]
}
