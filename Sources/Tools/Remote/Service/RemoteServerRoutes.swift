internal import API
internal import Audit
internal import EventModel
internal import HTTPModel
internal import JSON

/// The changes of remote servers. They need `administer`, because the monitor calls these servers in its own name.
extension ToolRoutes {
    @Sendable func add(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let (actor, time) = (try request.responder().principal.auditName, service.clock())
        let id = try await service.remote.add(try RemoteServerChange(request.http.body), by: actor, at: time)
        await record(.addServer, id, actor, request, time)
        return .json(status: 201, StoredServer.shape, try await service.server(id))
    }

    @Sendable func change(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let (actor, time) = (try request.responder().principal.auditName, service.clock())
        let id = request.parameters["id"] ?? ""
        let change = try RemoteServerChange(request.http.body)
        guard change.name == nil else {
            throw .invalid(
                "invalid_parameter",
                "A server's name does not change: its tools are pinned by it.",
                param: "name"
            )
        }
        try await service.remote.change(id, change, at: time)
        await record(.changeServer, id, actor, request, time)
        return .json(StoredServer.shape, try await service.server(id))
    }

    @Sendable func remove(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let (actor, time) = (try request.responder().principal.auditName, service.clock())
        let id = request.parameters["id"] ?? ""
        try await service.remote.remove(id)
        await record(.removeServer, id, actor, request, time)
        return HTTPResponse(status: 204)
    }

    private func record(
        _ action: AuditAction,
        _ id: String,
        _ actor: String,
        _ request: RouteRequest,
        _ time: Timestamp
    ) async {
        await service.record(action, id, by: actor, request.caller, at: time)
    }
}
