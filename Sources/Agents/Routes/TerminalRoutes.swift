internal import API
internal import HTTPModel
internal import JSON

/// What a device does at the terminal of a session. What the terminal shows comes over WebSockets and streams.
struct TerminalRoutes: Sendable {
    let service: AgentService

    private static let mostKeys = 16 << 10

    var routes: [Route] {
        [
            Route(.post, "/v1/sessions/{id}/terminal/keys", .control, handler: type)
                .accepting(bytes: 128 << 10)
                .described(
                    "Types at the terminal of a session, which is the same as a shell on the machine.",
                    body: "TerminalKeys",
                    as: "TerminalDone",
                    faults: [404, 409, 422, 502, 503, 504]
                ),
            Route(.put, "/v1/sessions/{id}/terminal/size", .control, handler: resize)
                .described(
                    "Gives the terminal of a session a size. The screen is drawn again, also at the same size.",
                    body: "TerminalSize",
                    as: "TerminalDone",
                    faults: [404, 409, 422, 502, 503, 504]
                ),
        ]
    }

    @Sendable private func type(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let body = try JSONValue(object: request.http.body)
        guard let keys = body["data"]?.string, !keys.isEmpty, keys.utf8.count <= TerminalRoutes.mostKeys else {
            throw .invalid(
                "invalid_parameter",
                "'data' must be a text of 1 to \(TerminalRoutes.mostKeys) bytes.",
                param: "data"
            )
        }
        let id = request.parameters["id"] ?? ""
        try await service.type(keys, in: id, by: try request.responder())
        return .json(TerminalRoutes.done, id)
    }

    @Sendable private func resize(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let body = try JSONValue(object: request.http.body)
        guard let columns = body["columns"]?.integer, let rows = body["rows"]?.integer, 2...1000 ~= columns,
            2...1000 ~= rows
        else {
            throw .invalid("invalid_parameter", "'columns' and 'rows' must be 2 to 1000.", param: "columns")
        }
        let id = request.parameters["id"] ?? ""
        try await service.resize(id, columns: columns, rows: rows, by: try request.responder())
        return .json(TerminalRoutes.done, id)
    }

    private static let done = ObjectShape<String>("TerminalDone") { it in
        it.member("session_id") { $0 }
        it.member("success") { _ in true }
    }

    static let schemas: [(SchemaName, String)] =
        [
            ("TerminalKeys", JSONSchema.object(["data": JSONSchema.bounded(mostKeys, least: 1)])),
            ("TerminalSize", JSONSchema.object(["columns": size, "rows": size])),
        ] + done.definitions

    private static let size = #"{"type":"integer","minimum":2,"maximum":1000}"#
}
