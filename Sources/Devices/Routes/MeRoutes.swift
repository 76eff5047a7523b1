internal import API
internal import Access
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
        return .json(Principal.shape.json(principal))
    }
}
