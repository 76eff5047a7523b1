internal import Access
internal import ClientAPI
internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/me`: who the caller is and what it may do.
struct MeRoutes: Sendable {
    var routes: [Route] {
        [
            Route(.get, "/v1/me", .authenticated, handler: show)
                .described("Who the caller is, and what it may do.", as: "Me")
        ]
    }

    @Sendable private func show(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard let principal = request.principal else { throw Credential.missing }
        return .json(MeRoutes.json(principal))
    }

    private static func json(_ principal: Principal) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        switch principal.holder {
        case .device(let claims, let rights):
            writer.field("kind", "device")
            writer.field("id", String(claims.device.rawValue))
            writer.field("name", rights.name)
            writer.field("owner", principal.owner)
            writer.field("expires_at", claims.refusedFrom.description)
        case .machine(let grant):
            writer.field("kind", "machine")
            writer.field("id", String(grant.machine.rawValue))
            writer.field("name", grant.machineName)
        case .admin: writer.field("kind", "operator")
        }
        principal.grants.writeFields(to: &writer)
        writer.endObject()
        return writer.bytes
    }
}
