public import EventModel
public import HTTPModel
internal import JSON

/// The routes of pairing and devices.
public enum DeviceAPI {
    /// - Parameter isSecure: whether the listeners speak TLS.
    /// - Parameter apple: `nil` where nobody signs in with Apple.
    /// - Parameter authorize: throws 401 or 403 where the request's sender may not administer.
    public static func routes(
        devices: any DeviceAdministration,
        apple: (any AppleSignInService)?,
        isSecure: Bool,
        authorize: @escaping @Sendable (HTTPRequest) throws(APIError) -> Void,
        clock: @escaping @Sendable () -> Timestamp
    ) -> [Route] {
        PairingRoutes(devices: devices, isSecure: isSecure, authorize: authorize).routes
            + PairingPageRoutes(devices: devices, isSecure: isSecure, authorize: authorize).routes
            + ApprovalRoutes(devices: devices).routes
            + AppleRoutes(devices: devices, service: apple).routes + DeviceRoutes(devices: devices, clock: clock).routes
    }
}

/// `/v1/devices`: what was paired.
struct DeviceRoutes: Sendable {
    let devices: any DeviceAdministration
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.get, "/v1/devices", .read, handler: list)
                .described("Devices that are paired.", QueryParameter.pages, as: "DevicePage"),
            Route(.delete, "/v1/devices/{id}", .administer, handler: revoke)
                .described("Signs a device out for good.", as: "RevokedDevice"),
        ]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/devices", .whole)
        let records = try await devices.devices()
        return ListAnswer(paging, request, at: clock()).response("devices", whole: records) { record, writer in
            writer.beginObject()
            record.writeFields(to: &writer)
            writer.endObject()
        }
    }

    @Sendable private func revoke(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard let id = request.parameters["id"].flatMap({ Int64($0) }),
            try await devices.revoke(DeviceID(rawValue: id), Caller(request.http))
        else { throw .notFound("device_not_found", "There is no device of that id that is not revoked already.") }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", String(id))
        writer.field("revoked", true)
        writer.endObject()
        return .json(writer.bytes)
    }
}

extension DeviceRecord {
    func writeFields(to writer: inout JSONWriter) {
        writer.field("id", String(id.rawValue))
        writer.field("name", name)
        writer.field("owner", owner)
        writer.field("platform", platform)
        writer.field("state", state.rawValue)
        writer.field("created_at", createdAt.description)
        writer.field("last_seen_at", lastSeenAt.description)
        writer.field("revoked_at", revokedAt?.description)
    }
}
