internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/push` and `/v1/push/tokens`: the push addresses of a device.
struct PushTokenRoutes: Sendable {
    let service: PushAPIService

    var routes: [Route] {
        [
            Route(.get, "/v1/push", .read, handler: offer)
                .described("Whether and how this server pushes.", as: "PushOffer"),
            Route(.get, "/v1/push/tokens", .read, handler: list)
                .described("The calling device's tokens; all of them for the operator.", as: "PushTokenList"),
            Route(.post, "/v1/push/tokens", .read, handler: register)
                .described(
                    "Registers where the calling device's pushes go.",
                    QueryParameter.device,
                    body: "NewPushToken",
                    as: "PushToken",
                    faults: [404]
                ),
            Route(.delete, "/v1/push/tokens", .read, handler: remove)
                .described("Removes all tokens of the calling device.", QueryParameter.device, as: "RemovedPushTokens"),
            Route(.delete, "/v1/push/tokens/{id}", .read, handler: remove)
                .described("Removes one token of the calling device.", QueryParameter.device, as: "RemovedPushTokens"),
        ]
    }

    @Sendable private func offer(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        .json(service.offer())
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        .json(try await service.tokens(for: request.pushCaller()))
    }

    @Sendable private func register(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try request.pushCaller()
        return .json(try await service.register(try JSONValue(object: request.http.body), for: caller))
    }

    @Sendable private func remove(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        .json(try await service.removeTokens(id: request.parameters["id"], for: request.pushCaller()))
    }
}
