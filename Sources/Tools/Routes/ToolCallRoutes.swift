internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
internal import Signing

/// `/v1/tools/{name}/execute` and `/v1/tools/calls`: tools of machines that are run.
struct ToolCallRoutes: Sendable {
    let service: ToolCallService

    /// An agent takes no longer messages.
    private static let mostBytes = 900 << 10
    /// Seconds beyond the time for which a request may wait.
    private static let graceSeconds = 15.0

    /// Fixed paths before those with parameters.
    var routes: [Route] {
        [
            Route(.get, "/v1/tools/calls", .either(.tools, .read), handler: list).described(
                "Calls of tools, the latest first. Without 'read', the caller's own.",
                [
                    .machine, .text("session_id", "In this session."),
                    .choice("status", ToolCall.State.allCases.map(\.rawValue), "In this state."),
                    .integer("limit", 1...200, "How many."),
                    .text("cursor", matching: "^[0-9]{1,19}~[0-9a-f-]{36}$", "The 'next_cursor'."),
                ],
                as: "ToolCallPage",
                faults: [404]
            ),
            Route(.get, "/v1/tools/calls/{id}", .either(.tools, .read), handler: call)
                .described("One call of a tool. The caller also gets the result.", as: "ToolCall", faults: [404]),
            Route(.post, "/v1/tools/{name}/execute", .either(.tools, .control), handler: execute)
                .accepting(bytes: Self.mostBytes)
                .waiting { request in
                    AnswerWait(
                        seconds: Double(ToolCallRequest.waits.upperBound) + Self.graceSeconds,
                        overdue: Self.late.response(requestID: request.http.requestID)
                    )
                }
                .described {
                    $0.saying(
                        "Runs a tool of a machine once a person has approved the call.",
                        body: "ToolExecution",
                        faults: [404, 409, 413, 422, 429, 502, 503, 504]
                    )
                    .answering(200, "application/json", "ToolAnswer")
                    .answering(202, "application/json", "ToolCall")
                },
        ]
    }

    private static let late = APIError.unavailable(
        "call_waiting",
        "The call still waits. Read it again: GET /v1/tools/calls",
        retryAfter: 5
    ).unrepeated

    @Sendable private func execute(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let (http, name) = (request.http, request.parameters["name"] ?? "")
        let body = try ToolCallRequest(http.body)
        guard let text = try http.idempotencyKey() else {
            return try await answer(to: try await service.begin(name, body, request.caller), body.wait)
        }
        let key = ToolCall.Key(text: text, digest: Hex.encode(Digest.sha256(Array(name.utf8) + [0] + http.body)))
        let caller = request.principal?.auditName ?? ""
        if let call = try await service.earlier(key, of: caller) {
            return try await answer(toRepeatOf: call, body.wait)
        }
        do throws(APIError) {
            return try await answer(to: try await service.begin(name, body, request.caller, key: key), body.wait)
        } catch {
            // Several requests with the same key may come at once. One begins the call, and the others join it.
            guard error == ToolCallRefusal.keyTaken || error == ToolCallRefusal.tooMany else { throw error }
            guard let call = try await joined(key, of: caller) else { throw error }
            return try await answer(toRepeatOf: call, body.wait)
        }
    }

    /// The call that a request at the same time begins with the key. Its row may be about to be written.
    private func joined(_ key: ToolCall.Key, of caller: String) async throws(APIError) -> ToolCall? {
        for _ in 0..<10 {
            if let call = try await service.earlier(key, of: caller) { return call }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return nil
    }

    private func answer(to begun: ToolCallService.Begun, _ seconds: Double) async throws(APIError) -> HTTPResponse {
        // The call goes on if the client disconnects.
        let outcome = await service.open.outcome(of: begun.row.id, seconds: seconds) {
            Task { await service.carryOut(begun) }
        }
        guard let outcome else { return try await waiting(begun.row.id) }
        let call = try? await service.call(begun.row.id)
        return try answer(ToolCallEnd(call ?? begun.row, outcome))
    }

    private func answer(toRepeatOf call: ToolCall, _ seconds: Double) async throws(APIError) -> HTTPResponse {
        guard let end = try await service.end(of: call.id, within: seconds) else { return try await waiting(call.id) }
        return try answer(end)
    }

    private func waiting(_ id: String) async throws(APIError) -> HTTPResponse {
        let call: ToolCall
        do throws(APIError) { call = try await service.call(id) } catch { throw error.unrepeated }
        return .json(status: 202, ShownToolCall.shape, ShownToolCall(call: call, result: call.storedResult))
    }

    private func answer(_ end: ToolCallEnd) throws(APIError) -> HTTPResponse {
        guard var error = end.error else {
            return .json(ToolAnswer.shape, ToolAnswer(call: end.call, result: end.result ?? .object([])))
        }
        error.headers["x-tool-call-id"] = end.call.id
        throw error.unrepeated
    }

    @Sendable private func call(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let call = try await service.call(request.parameters["id"] ?? "")
        let isOwn = call.caller == request.principal?.auditName
        guard isOwn || request.principal?.may(.read) == true else { throw ToolCallRefusal.unknownCall }
        return .json(ShownToolCall.shape, ShownToolCall(call: call, result: isOwn ? call.storedResult : nil))
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/tools/calls", .byCursor)
        var selection = ToolCallSelection()
        if let cursor = try ListCursor(paging) {
            selection.before = (Timestamp(microseconds: cursor.key), cursor.id)
        }
        if let name = request.query.machineName {
            guard let machine = try await service.database.machine(named: name) else {
                throw .notFound("machine_not_found", "There is no machine of that name.")
            }
            selection.machine = machine
        }
        selection.sessionID = request.query["session_id"]
        if let word = request.query["status"] { selection.state = ToolCall.State(rawValue: word) }
        if request.principal?.may(.read) != true { selection.caller = request.principal?.auditName }
        let limit = paging.limit ?? 50
        selection.limit = limit + 1
        let found = try await service.calls(selection)
        let shown = found.prefix(limit).map { ShownToolCall(call: $0) }
        let last = found.count > limit ? shown.last?.call : nil
        return ListAnswer(paging, request, at: service.clock()).response(
            "calls",
            Array(shown),
            of: ShownToolCall.shape,
            next: last.map { ListCursor(key: $0.createdAt.microseconds, id: $0.id).text }
        )
    }

    static let schemas: [(SchemaName, String)] =
        [
            ("ToolExecution", ToolCallRequest.schema), ("ToolCallPage", JSONSchema.page("calls", "ToolCall")),
        ] + ShownToolCall.shape.definitions + ToolAnswer.shape.definitions
}

extension APIError {
    /// Clients repeat some statuses by themselves. The repeat would be another call, also if this one has run.
    fileprivate var unrepeated: APIError {
        var error = self
        error.headers["x-should-retry"] = "false"
        return error
    }
}
