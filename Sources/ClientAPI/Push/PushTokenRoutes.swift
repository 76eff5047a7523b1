internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/push` and `/v1/push/tokens`: where a device wants its pushes.
struct PushTokenRoutes: Sendable {
    let push: any PushAdministration
    let digest: @Sendable ([UInt8]) -> [UInt8]

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
            Route(.delete, "/v1/push/tokens", .read, handler: removeAll)
                .described("Removes all tokens of the calling device.", QueryParameter.device, as: "RemovedPushTokens"),
            Route(.delete, "/v1/push/tokens/{id}", .read, handler: removeOne)
                .described("Removes one token of the calling device.", QueryParameter.device, as: "RemovedPushTokens"),
        ]
    }

    @Sendable private func offer(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let offer = push.condition
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("status", offer.isOn ? "on" : "off")
        writer.beginObject("apns")
        writer.field("available", offer.apns)
        writer.field("topic", offer.topic)
        writer.endObject()
        writer.beginObject("webpush")
        writer.field("available", offer.applicationServerKey != nil)
        writer.field("application_server_key", offer.applicationServerKey)
        writer.endObject()
        writer.endObject()
        return .json(writer.bytes)
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let records = try await push.tokens(of: push.device(of: request.http))
        var writer = JSONWriter(reserving: 512 * (records.count + 1))
        writer.beginObject()
        writer.beginArray("tokens")
        for record in records { record.write(to: &writer) }
        writer.endArray()
        writer.endObject()
        return .json(writer.bytes)
    }

    @Sendable private func register(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let device = try push.callingDevice(request)
        let token = try PushTokenBody(request.http.body).token(digest: digest)
        let record = try await push.register(token, of: device)
        var writer = JSONWriter(reserving: 512)
        record.write(to: &writer)
        return .json(writer.bytes)
    }

    @Sendable private func removeAll(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        try await remove(request, id: nil)
    }

    @Sendable private func removeOne(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard let id = request.parameters["id"].flatMap({ Int64($0) }) else { throw PushTokenRoutes.unknown }
        return try await remove(request, id: id)
    }

    private func remove(_ request: RouteRequest, id: Int64?) async throws(APIError) -> HTTPResponse {
        let count = try await push.removeTokens(of: push.callingDevice(request), id: id)
        if id != nil, count == 0 { throw PushTokenRoutes.unknown }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("removed", count)
        writer.endObject()
        return .json(writer.bytes)
    }

    private static var unknown: APIError {
        .notFound("push_token_not_found", "The device has no push token of that id.")
    }
}

extension PushAdministration {
    /// The device that asks; the operator names one by `?device_id=`.
    func callingDevice(_ request: RouteRequest) throws(APIError) -> DeviceID {
        let named = try request.query.integer("device_id", in: 1...Int64.max)
        if let device = try device(of: request.http) { return device }
        guard let id = named else {
            throw .invalid("missing_parameter", "Name the device: ?device_id=...", param: "device_id")
        }
        return DeviceID(rawValue: id)
    }
}

extension PushTokenRecord {
    /// Without the token itself and its keys.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", String(id))
        writer.field("device_id", String(device.rawValue))
        writer.field("kind", content.kind.rawValue)
        writer.field("fingerprint", fingerprint)
        writer.field("session_id", content.sessionID)
        writer.field("environment", content.environment?.rawValue)
        writer.field("topic", content.topic)
        writer.field("sealed", content.encryptionKey != nil)
        writer.field("locale", content.locale)
        writer.field("time_zone", content.timeZone)
        writer.field("app_version", content.appVersion)
        writer.field("state", state.rawValue)
        writer.field("state_reason", stateReason)
        writer.field("registered_at", registeredAt.description)
        writer.field("last_ok_at", lastOkAt?.description)
        writer.endObject()
    }
}
