internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/push/preferences`: what people want to be told, in layers.
struct PushPreferenceRoutes: Sendable {
    let push: any PushAdministration

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
                .described("One layer, and what holds with those below it.", parameters, as: "PushPreferencesAnswer"),
            Route(.put, "/v1/push/preferences", .read, handler: replace)
                .described(
                    "Replaces one layer.",
                    parameters,
                    body: "PushPreferences",
                    as: "PushPreferencesAnswer"
                ),
            Route(.delete, "/v1/push/preferences", .read, handler: remove)
                .described("Leaves a layer without opinions.", parameters, as: "PushPreferencesAnswer"),
        ]
    }

    @Sendable private func read(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let scope = try scope(request)
        return PushPreferenceRoutes.answer(scope, try await push.preferences(scope))
    }

    @Sendable private func replace(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let scope = try scope(request)
        return PushPreferenceRoutes.answer(scope, try await push.setPreferences(scope, request.http.body))
    }

    @Sendable private func remove(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let scope = try scope(request)
        _ = try await push.removePreferences(scope)
        return PushPreferenceRoutes.answer(scope, try await push.preferences(scope))
    }

    /// A device may not touch another's layer.
    private func scope(_ request: RouteRequest) throws(APIError) -> PushScope {
        guard let kind = PushScope.Kind(rawValue: request.query["scope"] ?? "default") else {
            throw .invalid("invalid_parameter", "'scope' must be default, device, project or session.", param: "scope")
        }
        let caller = try push.device(of: request.http)
        guard request.query["id"] != "" else { throw PushPreferenceRoutes.missingID }
        let id = request.query["id"] ?? ""
        switch kind {
        case .default: return PushScope(.default)
        case .device:
            let own = caller.map { String($0.rawValue) }
            if let own, id.isEmpty || id == own { return PushScope(.device, own) }
            guard caller == nil else {
                throw APIError(
                    .permission,
                    status: 403,
                    code: "not_your_device",
                    message: "A device sees and changes its own preferences only.",
                    param: "id"
                )
            }
            guard let number = Int64(id), number > 0 else { throw PushPreferenceRoutes.missingID }
            return PushScope(.device, String(number))
        case .project, .session:
            guard !id.isEmpty, id.utf8.count <= 256 else { throw PushPreferenceRoutes.missingID }
            return PushScope(kind, id)
        }
    }

    private static var missingID: APIError {
        .invalid("missing_parameter", "Name whose preferences: ?id=...", param: "id")
    }

    private static func answer(_ scope: PushScope, _ answer: PushPreferencesAnswer) -> HTTPResponse {
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.field("scope", scope.kind.rawValue)
        writer.field("id", scope.subject.isEmpty ? nil : scope.subject)
        writer.field("preferences", json: answer.stored)
        writer.field("effective", json: answer.effective)
        writer.field("updated_at", answer.updatedAt?.description)
        writer.endObject()
        return .json(writer.bytes)
    }
}
