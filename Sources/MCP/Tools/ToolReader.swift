internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// Answers calls of tools by the routes of the REST interface.
struct ToolReader: Sendable {
    let ports: ToolPorts
    /// Always in the same order.
    let tools: [Tool]
    private let catalog: ToolCatalog
    /// The tools as JSON, in the same order.
    private let json: [[UInt8]]

    init(_ catalog: ToolCatalog, ports: ToolPorts) {
        (self.catalog, self.ports) = (catalog, ports)
        tools = catalog.tools + [SessionWait.tool]
        json = tools.map(\.json)
    }

    /// The tools that a caller may call, as JSON.
    func listed(in scope: ToolScope, only: [String]? = nil) -> [[UInt8]] {
        zip(tools, json).filter { scope.covers($0.0) && only?.contains($0.0.name) ?? true }.map(\.1)
    }

    /// - Parameter request: the request that carries the call.
    func read(
        _ tool: Tool,
        _ parameters: ToolParameters,
        in scope: ToolScope,
        for request: RouteRequest
    ) async throws(APIError) -> [UInt8] {
        var target = ToolTarget(tool, parameters)
        if case .machine(let grant) = scope { try await narrow(&target, tool, to: grant) }
        guard let route = catalog.route(target.path) else {
            throw APIError(.internalError, status: 500, code: "no_route", message: "The tool has no route.")
        }
        let inner = RouteRequest(
            http: target.request(like: request.http),
            principal: request.principal,
            parameters: target.id.map { ["id": $0] } ?? [:]
        )
        try route.description.check(inner.query)
        let response = try await route.handler(inner)
        guard response.status == 200, response.stream == nil else {
            throw APIError(.internalError, status: 500, code: "no_answer", message: "The server gave no answer.")
        }
        return CompactAnswer.json(response.body, list: tool.list)
    }

    /// Keeps the call to a machine. Its sessions are found by what the server knows of them, never by the names that
    /// machines report.
    private func narrow(_ target: inout ToolTarget, _ tool: Tool, to grant: MachineGrant) async throws(APIError) {
        let name = grant.machineName
        // The number of one machine may be the name of another.
        guard try await ports.machine(named: name) == grant.machine else { throw .notThisMachine }
        if let session = target.session {
            guard try await ports.machine(ofSession: session) == grant.machine else { throw .sessionNotFound }
        }
        switch tool.bound {
        case .filter:
            if let asked = target.query["machine_id"] {
                guard try await ports.machine(named: asked) == grant.machine else { throw .notThisMachine }
            }
            target.query["machine_id"] = name
        case .session:
            guard target.session != nil else { throw .sessionNotFound }
        case .route(let path):
            (target.path, target.id, target.query) = (path, name, [:])
        case .closed:
            throw .insufficientScope("This tool needs a device, an API key or the admin token, not a machine's key.")
        }
    }
}

/// A request to a route in the making.
struct ToolTarget: Sendable, Equatable {
    /// The template of the route.
    var path: String
    /// The `id` in the path.
    var id: String?
    var query: [String: String]
    /// The session that the call names.
    var session: String?

    init(_ tool: Tool, _ parameters: ToolParameters) {
        path = tool.path
        query = parameters.values
        session = query["session_id"]
        if path.contains("{id}") { id = query.removeValue(forKey: "session_id") }
        query.merge(tool.fixed) { _, fixed in fixed }
    }

    func request(like request: HTTPRequest) -> HTTPRequest {
        let pairs = query.sorted { $0.key < $1.key }.map {
            PercentEncoding.encode($0.key) + "=" + PercentEncoding.encode($0.value)
        }
        let place = PercentEncoding.encode(id ?? "")
        return HTTPRequest(
            method: .get,
            path: path.split(separator: "/").map { "/" + ($0 == "{id}" ? place : String($0)) }.joined(),
            query: pairs.joined(separator: "&"),
            requestID: request.requestID,
            peerAddress: request.peerAddress
        )
    }
}

extension APIError {
    fileprivate static let notThisMachine = APIError.insufficientScope(
        "A machine's key reads the sessions of its own machine only.",
        param: "machine_id"
    )
}
