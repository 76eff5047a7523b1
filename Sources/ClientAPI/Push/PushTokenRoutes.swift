internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/push` and `/v1/push/tokens`: where a device wants its pushes.
struct PushTokenRoutes: Sendable {
    let push: any PushAdministration
    let desk: PushDesk

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
        .json(desk.offer())
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        .json(try await desk.tokens(for: push.caller(of: request)))
    }

    @Sendable private func register(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let caller = try push.caller(of: request)
        guard let body = try? JSONValue.parse(request.http.body), body.isObject else {
            throw .invalid("invalid_json", "The body must be a JSON object.")
        }
        return .json(try await desk.register(body, for: caller))
    }

    @Sendable private func remove(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        .json(try await desk.removeTokens(id: request.parameters["id"], for: push.caller(of: request)))
    }
}

extension PushAdministration {
    /// The operator names a device by `?device_id=`.
    func caller(of request: RouteRequest) throws(APIError) -> PushCaller {
        let named = try request.query.integer("device_id", in: 1...Int64.max)
        return try caller(of: request.http, named: named.map { String($0) })
    }
}
