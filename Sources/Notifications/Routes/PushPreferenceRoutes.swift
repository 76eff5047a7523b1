internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/push/preferences`: notification preferences, in layers.
struct PushPreferenceRoutes: Sendable {
    let service: PushAPIService

    private static let parameters = [
        QueryParameter.choice(
            "scope",
            PushScope.Kind.allCases.map(\.rawValue),
            "The layer: of all devices, of one device, project or session."
        ),
        QueryParameter.text(
            "id",
            matching: "^[^\\\\r\\\\n]+$",
            "Of the device, project or session; the calling device where it is left out."
        ),
    ]

    var routes: [Route] {
        let parameters = PushPreferenceRoutes.parameters
        return [
            Route(.get, "/v1/push/preferences", .read, handler: read)
                .described(
                    "One layer, and the preferences that result from it and the layers below.",
                    parameters,
                    as: "PushPreferencesAnswer"
                ),
            Route(.put, "/v1/push/preferences", .read, handler: replace)
                .described(
                    "Replaces one layer: the caller's own, or any with 'administer'.",
                    parameters,
                    body: "PushPreferences",
                    as: "PushPreferencesAnswer",
                    faults: [404]
                ),
            Route(.delete, "/v1/push/preferences", .read, handler: remove)
                .described(
                    "Deletes a layer's preferences: the caller's own, or any with 'administer'.",
                    parameters,
                    as: "PushPreferencesAnswer"
                ),
        ]
    }

    @Sendable private func read(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        .json(try await service.preferences(layer(request), for: request.pushCaller()))
    }

    @Sendable private func replace(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let settings = request.http.body
        return .json(try await service.setPreferences(layer(request), settings, for: request.pushCaller()))
    }

    @Sendable private func remove(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        .json(try await service.removePreferences(layer(request), for: request.pushCaller()))
    }

    private func layer(_ request: RouteRequest) -> PushLayer {
        PushLayer(kind: request.query["scope"], id: request.query["id"])
    }
}
