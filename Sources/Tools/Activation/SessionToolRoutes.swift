package import API
internal import Audit
internal import EventModel
package import HTTPModel
internal import JSON
internal import Persistence

/// `/v1/sessions/{id}/tools`: which MCP servers and tools a session is left with.
struct SessionToolRoutes: Sendable {
    let registry: ToolService
    let limiter: SessionToolLimiter

    var routes: [Route] {
        [
            Route(.get, "/v1/sessions/{id}/tools", .read, handler: show).described(
                "The MCP servers and tools that a session is left with.",
                as: "SessionTools",
                faults: [404]
            ),
            Route(.post, "/v1/sessions/{id}/tools", .control, handler: set).described(
                "Leaves a session with some of its MCP servers and tools, at once and until it is changed.",
                body: "SessionToolLimits",
                as: "SessionTools",
                faults: [404, 409, 422, 502, 503, 504]
            ),
        ]
    }

    @Sendable private func show(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let id = request.parameters["id"] ?? ""
        _ = try await registry.ports.place(.session(id))
        let found = try await registry.database.use { store throws(PersistenceError) in
            try await store.sessionTools(of: id)
        }
        let none = SessionTools(sessionID: id, limits: ToolLimits(stored: "{}"), denied: [])
        return .json(SessionTools.shape, found ?? none)
    }

    @Sendable private func set(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let id = request.parameters["id"] ?? ""
        let limits = try ToolLimits(try JSONValue(object: request.http.body), at: nil)
        let responder = try request.responder()
        let place = try await registry.ports.place(.session(id))
        try responder.require(.control, on: place.machine)
        let denied = try await limiter.limit(id, to: limits, by: responder)
        let (actor, now) = (responder.principal.auditName, registry.clock())
        let tools = SessionTools(sessionID: id, limits: limits, denied: denied, setBy: actor, setAt: now)
        try await registry.database.use { store throws(PersistenceError) in
            try await store.keep(tools, on: place.machine)
        }
        await registry.audit.record(
            AuditEntry(
                at: now,
                actor: actor,
                action: AuditAction.limitTools.rawValue,
                object: "session:\(id)",
                result: AuditResult.granted.word,
                peer: request.caller.peer,
                requestID: request.caller.requestID
            )
        )
        return .json(SessionTools.shape, tools)
    }

    static let schemas: [(SchemaName, String)] =
        [
            (
                "SessionToolLimits",
                JSONSchema.object([
                    "enabled_servers?": JSONSchema.nullable(JSONSchema.texts),
                    "enabled_tools?": JSONSchema.nullable(JSONSchema.texts),
                    "priority?": JSONSchema.nullable(JSONSchema.texts),
                    "audit_log?": JSONSchema.nullable(JSONSchema.flag),
                ])
            )
        ] + SessionTools.shape.definitions
}

/// Has sessions' processes deny tools.
package struct SessionToolLimiter: Sendable {
    package typealias Limit =
        @Sendable (_ session: String, ToolLimits, Responder) async throws(APIError) -> [String]

    private let limit: Limit

    package init(_ limit: @escaping Limit) { self.limit = limit }

    /// Denies all other tools. Returns the rules by which the session's process does.
    package func limit(
        _ session: String,
        to limits: ToolLimits,
        by responder: Responder
    ) async throws(APIError) -> [String] {
        try await limit(session, limits, responder)
    }
}
