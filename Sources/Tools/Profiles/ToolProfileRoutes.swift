internal import API
internal import Audit
internal import EventModel
package import HTTPModel
internal import JSON
internal import Persistence

/// `/v1/mcp/profiles`: named sets of tools, for `/mcp/{profile}`. Only callers with `administer` make them.
package struct ToolProfiles: Sendable {
    let service: ToolService

    package init(_ service: ToolService) { self.service = service }

    /// The tools of a profile. Throws 404 if there is no profile of that name.
    package func tools(of name: String) async throws(APIError) -> ToolSet { try await profile(name).tools }

    var routes: [Route] {
        [
            Route(.get, "/v1/mcp/profiles", .read, handler: list).described(
                "Named sets of tools, for /mcp/{profile}.",
                QueryParameter.pages,
                as: "ToolProfilePage"
            ),
            Route(.get, "/v1/mcp/profiles/{name}", .read, handler: show)
                .described("One named set of tools.", as: "ToolProfile", faults: [404]),
            Route(.put, "/v1/mcp/profiles/{name}", .administer, handler: keep).described(
                "Makes or replaces a named set of tools.",
                body: "ToolProfileChange",
                as: "ToolProfile",
                faults: [409]
            ),
            Route(.delete, "/v1/mcp/profiles/{name}", .administer, handler: remove).described {
                $0.saying("Removes a named set of tools.", faults: [404]).answering(204, "application/json")
            },
        ]
    }

    static let schemas: [(SchemaName, String)] =
        [
            ("ToolProfilePage", JSONSchema.page("profiles", "ToolProfile")),
            ("ToolProfileChange", JSONSchema.object(["tools": JSONSchema.texts])),
        ] + ToolProfile.shape.definitions

    private func profile(_ name: String) async throws(APIError) -> ToolProfile {
        let found: ToolProfile? = try await service.database.use { store throws(PersistenceError) in
            try await store.run { connection throws(PersistenceError) in
                try connection.query(ToolProfileStatements.one, Parameters(of: name)).firstValue()
            }
        }
        guard let found else { throw ToolProfiles.unknown }
        return found
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/mcp/profiles", .whole)
        let found: [ToolProfile] = try await service.database.use { store throws(PersistenceError) in
            try await store.run { connection throws(PersistenceError) in
                try connection.query(ToolProfileStatements.all, Parameters()).values()
            }
        }
        return ListAnswer(paging, request, at: service.clock())
            .response("profiles", whole: found, of: ToolProfile.shape)
    }

    @Sendable private func show(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        .json(ToolProfile.shape, try await profile(request.parameters["name"] ?? ""))
    }

    @Sendable private func keep(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let name = request.parameters["name"] ?? ""
        let (actor, time) = (try request.responder().principal.auditName, service.clock())
        guard ToolProfile.isName(name) else {
            throw .invalid("invalid_parameter", "A profile's name is 1 to 32 of a-z, 0-9 and '-'.", param: "name")
        }
        let tools = try ToolProfiles.tools(request.http.body)
        let json = String(decoding: JSONValue.array(tools.names.map(JSONValue.string)).encoded, as: UTF8.self)
        let kept: ToolProfile? = try await service.database.use { store throws(PersistenceError) in
            try await store.run { connection throws(PersistenceError) in
                let parameters = Parameters(of: name, json, actor, time, ToolProfile.most)
                return try connection.query(ToolProfileStatements.keep, parameters).firstValue()
            }
        }
        guard let kept else { throw ToolProfiles.tooMany }
        await service.record(.setProfile, name, by: actor, request.caller, at: time)
        return .json(ToolProfile.shape, kept)
    }

    private static func tools(_ body: [UInt8]) throws(APIError) -> ToolSet {
        let json = try JSONValue(object: body, maxDepth: 4)
        guard let given = json["tools"]?.array, given.count <= ToolSet.most else {
            throw .invalid("invalid_parameter", "'tools' must be a list of at most 200 names.", param: "tools")
        }
        let names = given.compactMap(\.string).filter(ToolSet.isName)
        guard names.count == given.count else {
            throw .invalid(
                "invalid_parameter",
                "'tools' has names such as list_sessions, server.tool and server.*, each of 1 to 300 bytes.",
                param: "tools"
            )
        }
        return ToolSet(names)
    }

    @Sendable private func remove(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let name = request.parameters["name"] ?? ""
        let (actor, time) = (try request.responder().principal.auditName, service.clock())
        let removed: String? = try await service.database.use { store throws(PersistenceError) in
            try await store.run { connection throws(PersistenceError) in
                try connection.query(ToolProfileStatements.remove, Parameters(of: name)).firstValue()
            }
        }
        guard removed != nil else { throw ToolProfiles.unknown }
        await service.record(.removeProfile, name, by: actor, request.caller, at: time)
        return HTTPResponse(status: 204)
    }

    private static let unknown = APIError.notFound("profile_not_found", "There is no profile of that name.")
    private static let tooMany = APIError(
        .conflict,
        status: 409,
        code: "too_many_profiles",
        message: "There are 100 profiles already. Remove one first."
    )
}
