internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/devices`: the paired devices.
struct DeviceRoutes: Sendable {
    let devices: DeviceService
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.get, "/v1/devices", .read, handler: list)
                .described("Devices that are paired.", QueryParameter.pages, as: "DevicePage"),
            Route(.delete, "/v1/devices/{id}", .administer, handler: revoke)
                .described("Signs a device out for good.", as: "RevokedDevice"),
            Route(.patch, "/v1/devices/{id}", .administer, handler: rename)
                .described("Renames a device.", body: "DeviceChange", as: "Device"),
            Route(.put, "/v1/devices/{id}/grants/{capability}", .administer, handler: grant)
                .described("Grants a device a capability, on the machines that are named or on all.", as: "Device")
                .described { $0.takingOptional(body: "GrantWish") },
            Route(.delete, "/v1/devices/{id}/grants/{capability}", .administer, handler: withdraw)
                .described("Takes a capability from a device.", as: "Device"),
        ]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/devices", .whole)
        let records = try await devices.devices()
        return ListAnswer(paging, request, at: clock()).response("devices", whole: records, of: DeviceRecord.shape)
    }

    @Sendable private func rename(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let name = try RequestObject(request.http.body).text("name", atMost: DeviceRoutes.longestName)
        let device = try DeviceRoutes.device(request)
        return try DeviceRoutes.answer(await devices.rename(device, to: name, request.caller))
    }

    /// In Unicode scalars.
    static let longestName = 100

    @Sendable private func grant(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let capability = try DeviceRoutes.capability(request)
        let machines = try RequestObject(optional: request.http.body).optionalNames("machines")
        if machines != nil, !capability.isPerMachine {
            throw .invalid("invalid_parameter", "'\(capability.rawValue)' is not per machine.", param: "machines")
        }
        let device = try DeviceRoutes.device(request)
        return try DeviceRoutes.answer(await devices.grant(capability, on: machines, to: device, request.caller))
    }

    @Sendable private func withdraw(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let capability = try DeviceRoutes.capability(request)
        let device = try DeviceRoutes.device(request)
        return try DeviceRoutes.answer(await devices.withdraw(capability, from: device, request.caller))
    }

    private static func capability(_ request: RouteRequest) throws(APIError) -> Capability {
        let capability = request.parameters["capability"].flatMap { Capability(rawValue: $0) }
        guard let capability, Capability.ofDevices.contains(capability) else {
            let names = Capability.ofDevices.map(\.rawValue).joined(separator: ", ")
            throw .invalid("invalid_parameter", "A device can be granted \(names).", param: "capability")
        }
        return capability
    }

    private static func device(_ request: RouteRequest) throws(APIError) -> DeviceID {
        guard let id = request.parameters["id"].flatMap({ Int64($0) }) else { throw unknownDevice }
        return DeviceID(rawValue: id)
    }

    private static var unknownDevice: APIError {
        .notFound("device_not_found", "The device does not exist or is already revoked.")
    }

    private static func answer(_ record: DeviceRecord?) throws(APIError) -> HTTPResponse {
        guard let record else { throw unknownDevice }
        return .json(DeviceRecord.shape, record)
    }

    @Sendable private func revoke(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let device = try DeviceRoutes.device(request)
        guard try await devices.revoke(device, request.caller) else { throw DeviceRoutes.unknownDevice }
        return .json(DeviceRoutes.revoked, device)
    }

    static let revoked = ObjectShape<DeviceID>("RevokedDevice") { it in
        it.member("id") { String($0.rawValue) }
        it.member("revoked") { _ in true }
    }
}

extension DeviceRecord {
    static let shape = ObjectShape<DeviceRecord>("Device") { it in
        it.member("id") { String($0.id.rawValue) }
        it.member("name") { $0.name }
        it.member("owner") { $0.owner }
        it.member("platform") { $0.platform }
        it.word("state") { $0.state }
        it.member("created_at") { $0.createdAt }
        it.member("last_seen_at") { $0.lastSeenAt }
        it.member("revoked_at") { $0.revokedAt }
        it.grants { $0.grants }
        it.member("key_ids") { $0.keys.map(String.init) }
    }
}

extension ObjectShape {
    /// `capabilities` and, for those granted per machine, `machines`: the numbers of the machines, or null for all.
    mutating func grants(_ grants: @escaping @Sendable (Value) -> Grants) {
        let names = Capability.allCases.map(\.rawValue)
        member("capabilities", as: JSONSchema.array(JSONSchema.choice(names))) {
            grants($0).capabilities.map(\.rawValue)
        }
        let numbers = JSONSchema.nullable(JSONSchema.texts)
        custom("machines", #"{"type":"object","additionalProperties":\#(numbers)}"#) { value, writer in
            let grants = grants(value)
            writer.beginObject()
            for capability in grants.capabilities where capability.isPerMachine {
                switch grants.machines(of: capability) {
                case .only(let machines)?:
                    let numbers = machines.map(\.rawValue).sorted()
                    writer.strings(capability.rawValue, numbers.map { String($0) })
                case .all?, nil: writer.null(capability.rawValue)
                }
            }
            writer.endObject()
        }
    }
}
