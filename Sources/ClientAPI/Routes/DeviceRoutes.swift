internal import EventModel
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
        authorize: @escaping @Sendable (HTTPRequest) throws(APIError) -> Void
    ) -> [Route] {
        PairingRoutes(devices: devices, isSecure: isSecure, authorize: authorize).routes
            + PairingPageRoutes(devices: devices, isSecure: isSecure, authorize: authorize).routes
            + ApprovalRoutes(devices: devices).routes
            + AppleRoutes(devices: devices, service: apple).routes + DeviceRoutes(devices: devices).routes
    }
}

/// `/v1/devices`: what was paired.
struct DeviceRoutes: Sendable {
    let devices: any DeviceAdministration

    var routes: [Route] {
        [
            Route(.get, "/v1/devices", .read, handler: list)
                .described("Devices that are paired.", as: "DeviceList"),
            Route(.delete, "/v1/devices/{id}", .administer, handler: revoke)
                .described("Signs a device out for good.", as: "RevokedDevice"),
        ]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let records = try await devices.devices()
        var writer = JSONWriter(reserving: 256 * (records.count + 1))
        writer.beginObject()
        writer.beginArray("devices")
        for record in records {
            writer.beginObject()
            record.writeFields(to: &writer)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return .json(writer.bytes)
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
