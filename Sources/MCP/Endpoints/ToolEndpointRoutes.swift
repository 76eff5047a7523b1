internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import RPC

/// The routes of an endpoint for some tools, with the same rules as `/mcp`.
struct ToolEndpointRoutes: Sendable {
    let endpoint: ToolEndpoint
    /// `/mcp`, whose waits and places these calls share.
    let base: MCPRoutes

    var routes: [Route] {
        [
            Route(.post, endpoint.path, .needs(endpoint.capability), handler: answer)
                .accepting(bytes: MCPRoutes.mostBytes)
                .waiting(MCPRoutes.wait)
                .described {
                    $0.saying("Some tools alone, by the Model Context Protocol.", body: "MCPMessage", faults: [406])
                        .answering(200, "application/json", "MCPResponse")
                        .answering(200, "text/event-stream")
                        .answering(202, "")
                        .answering(400, "application/json", "MCPRefusal")
                        .answering(404, "application/json", "MCPRefusal")
                },
            Route(.get, endpoint.path, .needs(endpoint.capability), handler: base.resume)
                .described {
                    $0.saying("The rest of an answer whose connection was lost.", faults: [405, 406])
                        .answering(200, "text/event-stream")
                },
        ]
    }

    @Sendable private func answer(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        try MCPRoutes.checkOrigin(request.http)
        guard let principal = request.principal else { throw .sessionNotFound }
        // Also for methods that need no tools, so that an unknown id is an error at once.
        let tools = try await endpoint.list(request.parameters["id"] ?? "", for: principal)
        let message: MCPRequest
        do throws(MCPFault) {
            guard case .request(let read) = try MCPMessage(request.http.body, MCPHeaders(request.http.headers)) else {
                return HTTPResponse(status: 202)
            }
            message = read
        } catch {
            return error.response
        }
        // A call that waits does not keep the body.
        var request = request
        request.http.body = []
        switch message.method {
        case .discover: return .json(base.answers.discover(message, saying: endpoint.words))
        case .initialize: return .json(base.answers.initialize(message, saying: endpoint.words))
        case .ping: return .json(base.answers.empty(message))
        case .listTools: return .json(base.answers.tools(message, tools))
        case .callTool(let call): return try await self.call(call, message, request, principal)
        }
    }

    private func call(
        _ call: ToolCall,
        _ message: MCPRequest,
        _ request: RouteRequest,
        _ principal: Principal
    ) async throws(APIError) -> HTTPResponse {
        guard EventStream.isAccepted(request.http.headers["accept"]) else { throw .notAcceptable }
        let place = try base.waiting.take(for: principal.auditName)
        let found: ToolEndpoint.Answer?
        do throws(APIError) {
            found = try await endpoint.call(call.name, call.arguments, of: request.parameters["id"] ?? "", request)
        } catch {
            return .json(base.answers.output(message.reply, ToolOutput(error)))
        }
        switch found {
        case nil: return MCPFault(status: 200, error: .unknownTool(call.name), id: message.id).response
        case .result(let result): return .json(base.answers.output(message.reply, ToolOutput(result: result)))
        case .call(let id):
            let held = HeldToolCall(
                call: id,
                caller: principal.auditName,
                reply: message.reply,
                progressToken: call.progressToken
            )
            return base.waiter(for: held, principal, place).response
        case .work(let work):
            let waiter = HeldWaiter(
                answers: base.answers,
                reply: message.reply,
                progressToken: call.progressToken,
                eventID: nil,
                output: { ToolOutput(result: await work()) },
                news: { "The tool runs." },
                left: {},
                isAdmitted: { [current = base.reader.ports.current] in current(principal) != nil },
                place: place
            )
            return waiter.response
        }
    }
}
