internal import API
internal import GitInterface
internal import HTTPModel
internal import JSON

/// Git in projects: `/v1/projects/{id}/git/<verb>`, and the seeds' names `/api/git/<verb>` for the same.
struct GitRoutes: Sendable {
    let service: AgentService

    /// The verbs that cdev's REST interface has.
    private static let older: Set<String> = [
        "status", "diff", "stage", "unstage", "discard", "commit", "push", "pull", "branches", "checkout",
    ]
    private static let faults = [404, 409, 413, 422, 429, 502, 503, 504]
    private static let project = QueryParameter.text("workspace_id", "The project.").or("project_id")

    var routes: [Route] {
        GitMethod.all.flatMap { method -> [Route] in
            let route = route(method, at: "/v1/projects/{id}/git/\(method.verb)", method.need == .look)
            guard GitRoutes.older.contains(method.verb) else { return [route] }
            return [route, self.route(method, at: "/api/git/\(method.verb)", method.need == .look, isOlder: true)]
        }
    }

    private func route(_ method: GitMethod, at path: String, _ reads: Bool, isOlder: Bool = false) -> Route {
        let handler: Route.Handler = { request async throws(APIError) in
            let arguments = try reads ? GitRoutes.query(method, request) : JSONValue(object: request.body)
            return try await run(method, request, arguments)
        }
        let right = reads ? "Needs 'respond' or 'control' on the machine." : "Needs 'control' on the machine."
        let own = reads ? method.parameters.compactMap(GitRoutes.parameter) : []
        let parameters = (isOlder ? [GitRoutes.project] : []) + own
        let bare = Route(reads ? .get : .post, path, reads ? .read : .control, handler: handler)
        // What a message to an agent has room for.
        return (reads ? bare : bare.accepting(bytes: 512 << 10))
            .waiting { request in
                AnswerWait(
                    seconds: method.seconds + 5,
                    overdue: AgentRefusal.silent.response(requestID: request.http.requestID)
                )
            }
            .described {
                var description = $0.saying("\(method.summary) \(right)", parameters, faults: GitRoutes.faults)
                if !reads { description = description.takingOptional(body: method.schemaName) }
                return description.answering(200, "application/json", method.answer).notCached()
            }
    }

    private func run(
        _ method: GitMethod,
        _ request: RouteRequest,
        _ arguments: JSONValue
    ) async throws(APIError) -> HTTPResponse {
        let named = request.query["workspace_id"] ?? request.query["project_id"]
        guard let project = request.parameters["id"] ?? named ?? arguments["workspace_id"]?.string else {
            throw .invalid("missing_parameter", "Name the project: 'workspace_id'.", param: "workspace_id")
        }
        let result = try await service.git(method, arguments, inProject: project, by: try request.responder())
        var writer = JSONWriter(reserving: 4096)
        writer.value(result)
        return .json(writer.bytes)
    }

    private static func query(_ method: GitMethod, _ request: RouteRequest) throws(APIError) -> JSONValue {
        var members: [(String, JSONValue)] = []
        for parameter in method.parameters {
            for name in [parameter.name] + parameter.aliases {
                guard let text = request.query[name] else { continue }
                guard let value = parameter.value(ofQuery: text) else {
                    throw .invalid("invalid_parameter", "'\(name)' is not valid.", param: name)
                }
                members.append((parameter.name, value))
            }
        }
        return .object(members)
    }

    private static func parameter(_ parameter: GitParameter) -> QueryParameter? {
        var made: QueryParameter
        switch parameter.kind {
        case .text: made = .text(parameter.name, parameter.summary)
        case .flag: made = .choice(parameter.name, ["true", "false"], parameter.summary)
        case .integer(let range): made = .integer(parameter.name, range, parameter.summary)
        case .texts: return nil
        }
        for alias in parameter.aliases { made = made.or(alias) }
        return made
    }

    static let schemas: [(SchemaName, String)] =
        GitMethod.schemas + GitMethod.all.filter { $0.need == .change }.map { ($0.schemaName, $0.schema) }
}

extension RouteRequest {
    /// An empty body is an empty object.
    fileprivate var body: [UInt8] { http.body.isEmpty ? Array("{}".utf8) : http.body }
}
