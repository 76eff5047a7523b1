internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import RPC

/// `POST /mcp`: the Model Context Protocol over Streamable HTTP, in the stateless revision and in those with
/// `initialize`. `/mcp/{profile}` is the same with the tools of a profile alone.
struct MCPRoutes: Sendable {
    let reader: ToolReader
    let asking: PersonAsking
    let machines: MachineTools
    let answers: MCPAnswers
    let waiting = WaitingCalls()
    let questions = OpenQuestions()

    init(reader: ToolReader, asking: PersonAsking, machines: MachineTools, serverVersion: String) {
        (self.reader, self.asking, self.machines) = (reader, asking, machines)
        answers = MCPAnswers(serverVersion: serverVersion)
    }

    /// Seconds for a call that does not wait for a session.
    private static let seconds = 60.0
    /// No tool takes long arguments.
    static let mostBytes = 1 << 20

    func routes(at path: String) -> [Route] {
        [
            Route(.post, path, .authenticated, handler: answer)
                .accepting(bytes: MCPRoutes.mostBytes)
                .waiting(MCPRoutes.wait)
                .described {
                    $0.saying(
                        "Tools that read or ask a person, by the Model Context Protocol.",
                        body: "MCPMessage",
                        faults: [406]
                    )
                    .answering(200, "application/json", "MCPResponse")
                    .answering(200, "text/event-stream")
                    .answering(202, "")
                    .answering(400, "application/json", "MCPRefusal")
                    .answering(404, "application/json", "MCPResponse")
                },
            Route(.get, path, .authenticated, handler: resume)
                .described {
                    $0.saying("The rest of an answer whose connection was lost.", faults: [405, 406])
                        .answering(200, "text/event-stream")
                },
        ]
    }

    @Sendable static func wait(_ request: RouteRequest) -> AnswerWait? {
        AnswerWait(seconds: seconds, overdue: overdue.response(requestID: request.http.requestID))
    }

    private static let overdue = APIError.unavailable(
        "query_timeout",
        "The call took too long. Ask for less.",
        retryAfter: 5
    )

    @Sendable private func answer(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let http = request.http
        try MCPRoutes.checkOrigin(http)
        guard let principal = request.principal else { throw .sessionNotFound }
        var only: [String]?
        if let name = request.parameters["profile"] { only = try await machines.profile(name) }
        do throws(MCPFault) {
            switch try MCPMessage(http.body, MCPHeaders(http.headers)) {
            case .notification: return HTTPResponse(status: 202)
            case .request(let message):
                // A call that waits does not keep the body.
                var request = request
                request.http.body = []
                return try await carryOut(message, request, principal, only: only)
            }
        } catch {
            return error.response
        }
    }

    static func checkOrigin(_ http: HTTPRequest) throws(APIError) {
        // The listener lets pages of other ports of this machine send requests, whose answers they cannot read.
        guard http.headers["origin"] == nil || http.readableOrigin != nil else { throw .foreignOrigin }
    }

    private func carryOut(
        _ message: MCPRequest,
        _ request: RouteRequest,
        _ principal: Principal,
        only: [String]?
    ) async throws(MCPFault) -> HTTPResponse {
        let runsTools = runsTools(principal, only: only)
        switch message.method {
        case .discover: return .json(answers.discover(message, runsTools: runsTools))
        case .initialize: return .json(answers.initialize(message, runsTools: runsTools))
        case .ping: return .json(answers.empty(message))
        case .listTools:
            do throws(APIError) {
                return .json(answers.tools(message, try await listed(request, principal, only: only)))
            } catch {
                return error.response(requestID: request.http.requestID)
            }
        case .callTool(let call):
            let response: HTTPResponse?
            do throws(APIError) {
                response = try await answer(call, message, request, principal, only: only)
            } catch {
                return .json(answers.output(message.reply, ToolOutput(error)))
            }
            guard let response else {
                throw MCPFault(status: 200, error: .unknownTool(call.name), id: message.id)
            }
            return response
        }
    }

    /// The tools that the caller may call, as JSON.
    private func listed(
        _ request: RouteRequest,
        _ principal: Principal,
        only: [String]?
    ) async throws(APIError) -> [[UInt8]] {
        let own = (try? ToolScope(principal)).map { reader.listed(in: $0, only: only) } ?? []
        return own + askingTools(principal, request.http, only: only)
            + (try await machineTools(principal, only: only))
    }

    /// Returns `nil` if there is no such tool.
    private func answer(
        _ call: ToolCall,
        _ message: MCPRequest,
        _ request: RouteRequest,
        _ principal: Principal,
        only: [String]?
    ) async throws(APIError) -> HTTPResponse? {
        let tool = reader.tools.first { $0.name == call.name }
        guard tool != nil || call.name == ApproveTool.name || call.name == AskPersonTool.name else {
            return try await callMachine(call, message, request, principal, only: only)
        }
        guard only?.contains(call.name) ?? true else { return nil }
        if let tool { return try await run(tool, call, message, request, principal) }
        return call.name == ApproveTool.name
            ? try await approve(call, message, request, principal) : try await ask(call, message, request, principal)
    }

    private func run(
        _ tool: Tool,
        _ call: ToolCall,
        _ message: MCPRequest,
        _ request: RouteRequest,
        _ principal: Principal
    ) async throws(APIError) -> HTTPResponse {
        let scope = try ToolScope(principal)
        let parameters = try ToolParameters(call.arguments, of: tool)
        guard tool.isWait else {
            let json = try await reader.read(tool, parameters, in: scope, for: request)
            return .json(answers.output(message.reply, ToolOutput(json)))
        }
        guard EventStream.isAccepted(request.http.headers["accept"]) else { throw .notAcceptable }
        let wait = try SessionWait(parameters, now: reader.ports.steadyClock())
        let waiter = SessionWaiter(
            reader: reader,
            answers: answers,
            message: message,
            token: call.progressToken,
            request: request,
            place: try waiting.take(for: principal.auditName)
        )
        return waiter.response(parameters.without("until", "timeout_seconds"), wait)
    }
}

extension APIError {
    fileprivate static let foreignOrigin = APIError(
        .permission,
        status: 403,
        code: "origin_not_allowed",
        message: "Pages of that origin may not call this endpoint. MONITOR_ALLOWED_ORIGINS has those that may.",
        param: "origin"
    )

    static let notAcceptable = APIError(
        .invalidRequest,
        status: 406,
        code: "not_acceptable",
        message: "This call answers with a stream: accept application/json and text/event-stream."
    )
}
