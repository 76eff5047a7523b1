internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/push/test` and `/v1/push/decisions`: whether pushes work, and why a push was or was not sent.
struct PushDecisionRoutes: Sendable {
    let service: PushAPIService

    private static let uuid = "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"

    var routes: [Route] {
        [
            Route(.post, "/v1/push/test", .read, handler: test)
                .described(
                    "Sends the calling device a test.",
                    QueryParameter.device,
                    as: "PushTest",
                    status: 202,
                    faults: [409]
                ),
            Route(.post, "/v1/push/check-key", .administer, handler: checkKey)
                .described(
                    "Asks Apple whether the key is good.",
                    [.choice("environment", ["production", "development"], "Which of Apple's two services.")],
                    as: "PushKeyCheck",
                    faults: [409]
                ),
            Route(.get, "/v1/push/decisions", .read, handler: decisions)
                .described(
                    "What was decided about pushes, the newest first.",
                    [
                        .text("event", matching: PushDecisionRoutes.uuid, "Only what this event raised: its id."),
                        .text("apns_id", matching: PushDecisionRoutes.uuid, "Only this push."),
                        .integer("limit", 1...200, "How many notices, where neither is named."),
                    ],
                    as: "PushDecisions",
                    faults: [404]
                ),
        ]
    }

    @Sendable private func test(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        .json(status: 202, try await service.sendTest(for: request.pushCaller()))
    }

    @Sendable private func checkKey(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let word = request.query["environment"] ?? "production"
        guard let environment = NewPushToken.Environment(rawValue: word) else {
            throw .invalid(
                "invalid_parameter",
                "'environment' must be production or development.",
                param: "environment"
            )
        }
        return .json(try await service.checkKey(environment))
    }

    @Sendable private func decisions(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        .json(try await service.decisions(try query(request)))
    }

    private func query(_ request: RouteRequest) throws(APIError) -> PushDecisionQuery {
        if let event = try identifier("event", request) { return .event(event) }
        if let push = try identifier("apns_id", request) { return .push(push) }
        return .latest(Int(try request.query.integer("limit", in: 1...200) ?? 50))
    }

    private func identifier(_ name: String, _ request: RouteRequest) throws(APIError) -> EventID? {
        guard let text = request.query[name] else { return nil }
        guard let id = EventID(text) else {
            throw .invalid("invalid_parameter", "'\(name)' must be a UUID.", param: name)
        }
        return id
    }
}
