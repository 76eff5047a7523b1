internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence

/// `/v1/tools` and `/v1/mcp/...`: the MCP servers of all machines, and their tools.
struct ToolRoutes: Sendable {
    let service: ToolService

    /// The time in seconds that a request to refresh waits for the agent, which starts servers to list their tools.
    private static let seconds = 60.0
    private static let project = QueryParameter.project
    private static let session = QueryParameter.text("session_id", "Those that this session may have.")
    private static let cursor = QueryParameter.text("cursor", matching: "^[0-9]{1,6}~tools$", "The 'next_cursor'.")

    var routes: [Route] {
        [
            Route(.get, "/v1/tools", .read, handler: tools).described(
                "Tools of MCP servers. With 'q', those that fit the words, the fittest first.",
                [
                    .text("q", "What the tool shall do, in words."),
                    .text("server", "Of this server, by its id or its name."),
                    .machine, Self.project, Self.session, .integer("limit", 1...200, "How many, with 'cursor'."),
                    Self.cursor,
                ] + QueryParameter.pages,
                as: "ToolPage",
                faults: [404]
            ),
            Route(.get, "/v1/mcp/servers", .read, handler: servers).described(
                "MCP servers of the machines, as their agents last told, and remote ones.",
                QueryParameter.pages + [.machine, Self.project, Self.session],
                as: "MCPServerPage",
                faults: [404]
            ),
            Route(.get, "/v1/mcp/servers/{id}", .read, handler: server)
                .described("One MCP server.", as: "MCPServer", faults: [404]),
            Route(.post, "/v1/mcp/servers", .administer, handler: add).described {
                $0.saying("Adds a remote MCP server.", body: "NewMCPServer", faults: [409, 503])
                    .answering(201, "application/json", "MCPServer")
            },
            Route(.patch, "/v1/mcp/servers/{id}", .administer, handler: change).described(
                "Changes a remote MCP server.",
                body: "MCPServerChange",
                as: "MCPServer",
                faults: [404, 409, 503]
            ),
            Route(.delete, "/v1/mcp/servers/{id}", .administer, handler: remove)
                .described {
                    $0.saying("Removes a remote MCP server.", faults: [404]).answering(204, "application/json")
                },
            Route(.get, "/v1/mcp/servers/{id}/tools", .read, handler: toolsOfServer)
                .described("The tools of one MCP server.", QueryParameter.pages, as: "ToolPage", faults: [404]),
            Route(.post, "/v1/mcp/servers/{id}/tools/{tool}/accept", .control, handler: accept).described(
                "Accepts the definition that a server now gives of a tool. Only a person does that.",
                body: "ToolAcceptance",
                as: "Tool",
                faults: [404, 409]
            ),
            Route(.post, "/v1/mcp/refresh", .control, handler: refresh)
                .waiting { request in
                    AnswerWait(
                        seconds: Self.seconds + 5,
                        overdue: Self.late.response(requestID: request.http.requestID)
                    )
                }
                .described(
                    "Has a machine tell which MCP servers a directory has, and start them; or asks a remote server.",
                    body: "MCPRefresh",
                    as: "MCPServerPage",
                    faults: [404, 409, 422, 429, 502, 503, 504]
                ),
        ]
    }

    private static let late = APIError.unavailable(
        "agent_timeout",
        "The machine did not answer in time.",
        retryAfter: 5
    )

    @Sendable private func tools(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/tools")
        let cursor = try ListCursor(paging)
        var selection = ToolSelection()
        (selection.machine, selection.path) = try await place(request)
        selection.server = request.query["server"]
        selection.limit = paging.limit ?? 50
        selection.offset = paging.offset ?? cursor.map { Int(clamping: $0.key) } ?? 0
        let words = request.query["q"] ?? ""
        let (found, total) =
            words.isEmpty
            ? try await service.tools(selection) : try await service.tools(ToolQuery(words, in: selection))
        let end = selection.offset + found.count
        let next = !found.isEmpty && end < Int(clamping: total) ? "\(end)~tools" : nil
        return answer(request, paging, found, next: next, total: paging.offset.map { _ in total })
    }

    private func answer(
        _ request: RouteRequest,
        _ paging: Paging,
        _ tools: [StoredTool],
        next: String?,
        total: Int64?
    ) -> HTTPResponse {
        ListAnswer(paging, request, at: service.clock())
            .response("tools", tools, of: StoredTool.shape, next: next, total: total)
    }

    @Sendable private func servers(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let (machine, path) = try await place(request)
        return try list(request, try await service.servers(on: machine, path: path))
    }

    private func list(_ request: RouteRequest, _ servers: [StoredServer]) throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/mcp/servers", .whole)
        return ListAnswer(paging, request, at: service.clock())
            .response("servers", whole: servers, of: StoredServer.shape)
    }

    @Sendable private func server(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        .json(StoredServer.shape, try await service.server(request.parameters["id"] ?? ""))
    }

    @Sendable private func toolsOfServer(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let server = try await service.server(request.parameters["id"] ?? "")
        let paging = try Paging(request.query, path: "/v1/mcp/servers/\(server.id)/tools", .whole)
        var selection = ToolSelection()
        (selection.server, selection.limit) = (server.id, 2000)
        let found = try await service.tools(selection).tools
        return ListAnswer(paging, request, at: service.clock())
            .response("tools", whole: found, of: StoredTool.shape)
    }

    @Sendable private func accept(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let digest = try RequestObject(request.http.body).text("digest", atMost: 64)
        let tool = try await service.accept(
            request.parameters["tool"] ?? "",
            of: request.parameters["id"] ?? "",
            digest: digest,
            by: try request.responder(),
            request.caller
        )
        return .json(StoredTool.shape, tool)
    }

    @Sendable private func refresh(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let body = try RequestObject(request.http.body)
        let place: ToolPlace
        if let project = try body.optionalText("project_id", atMost: 100) {
            place = .project(project)
        } else if let session = try body.optionalText("session_id", atMost: 100) {
            place = .session(session)
        } else if let server = try body.optionalText("server_id", atMost: 100) {
            try request.responder().require(.control, on: .monitor)
            try await service.remote.list(server)
            return try list(request, [try await service.server(server)])
        } else if let machine = try body.optionalText("machine_id", atMost: 200) {
            place = .directory(machine: machine, path: try body.text("path", atMost: 4096))
        } else {
            throw .invalid("missing_parameter", "Name the place: 'project_id'.", param: "project_id")
        }
        return try list(request, try await service.refresh(place, by: try request.responder()))
    }

    /// What the query names: a machine, or a directory on one.
    private func place(_ request: RouteRequest) async throws(APIError) -> (machine: MachineID?, path: String?) {
        if let project = request.query["project_id"] ?? request.query["workspace_id"] {
            let place = try await service.ports.place(.project(project))
            return (place.machine, place.path)
        }
        if let session = request.query["session_id"] {
            let place = try await service.ports.place(.session(session))
            return (place.machine, place.path)
        }
        guard let name = request.query.machineName else { return (nil, nil) }
        guard let machine = try await service.database.machine(named: name) else {
            throw .notFound("machine_not_found", "There is no machine of that name.")
        }
        return (machine, nil)
    }

    static let schemas: [(SchemaName, String)] =
        [
            ("ToolPage", JSONSchema.page("tools", "Tool")), ("MCPServerPage", JSONSchema.page("servers", "MCPServer")),
            ("ToolAcceptance", JSONSchema.object(["digest": JSONSchema.printable(64)])),
            (
                "MCPRefresh",
                JSONSchema.object([
                    "project_id?": JSONSchema.printable(100), "session_id?": JSONSchema.printable(100),
                    "machine_id?": JSONSchema.printable(200), "path?": JSONSchema.printable(4096),
                    "server_id?": JSONSchema.printable(100),
                ])
            ),
            ("NewMCPServer", RemoteServerChange.schema), ("MCPServerChange", RemoteServerChange.changeSchema),
        ] + StoredTool.shape.definitions + StoredServer.shape.definitions
}
