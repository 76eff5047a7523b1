internal import EventModel
internal import HTTPModel
internal import JSON

/// How a device gets its tokens: the routes of `/v1/pairing`, and those of cdev's clients.
struct PairingRoutes: Sendable {
    let devices: any DeviceAdministration
    /// Whether the listeners speak TLS.
    let isSecure: Bool

    var routes: [Route] {
        [
            Route(.post, "/v1/pairing", .administer, handler: create)
                .described("Opens a pairing, for a device to join.", as: "Pairing", status: 201),
            Route(.post, "/v1/pairing/exchange", .open, handler: exchange)
                .described(
                    "Turns a pairing's code or token into tokens.",
                    body: "PairingSecret",
                    as: "Tokens",
                    faults: [429]
                ),
            Route(.get, "/v1/pairing/{id}", .administer, handler: follow)
                .described("How a pairing stands.", as: "PairingState"),
            Route(.get, "/api/pair/info", .administer, handler: info)
                .described("Opens a pairing, as a QR code holds it.", as: "PairingInfo"),
            Route(.post, "/api/pair/code", .open, handler: turnInCode)
                .described("Turns in a pairing code.", body: "PairingCode", as: "PairingToken", faults: [429]),
            Route(.post, "/api/auth/exchange", .open, handler: exchange)
                .described(
                    "Turns a pairing's code or token into tokens.",
                    body: "PairingSecret",
                    as: "Tokens",
                    faults: [429]
                ),
            Route(.post, "/api/auth/refresh", .open, handler: refresh)
                .described(
                    "New tokens for old.",
                    body: "RefreshToken",
                    as: "Tokens",
                    faults: [401, 429]
                ),
            Route(.post, "/api/auth/revoke", .open, handler: signOut)
                .described("Signs the device out.", body: "RefreshToken", as: "SignedOut", faults: [429]),
        ]
    }

    @Sendable private func create(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let pairing = try await devices.createPairing(Caller(request.http))
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", String(pairing.id))
        writer.field("code", pairing.code)
        writer.field("pairing_token", pairing.token)
        writer.field("expires_at", pairing.expiresAt.description)
        writer.field("expires_in", pairing.lifetimeSeconds)
        writer.field("url", address(request, scheme: "http"))
        writer.endObject()
        return .json(status: 201, writer.bytes)
    }

    @Sendable private func follow(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard let id = request.parameters["id"].flatMap({ Int64($0) }), let pairing = try await devices.pairing(id: id)
        else { throw .notFound("pairing_not_found", "There is no pairing of that id.") }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", String(pairing.id))
        writer.field("expires_at", pairing.expiresAt.description)
        writer.field("used", pairing.device != nil)
        if let device = pairing.device {
            writer.beginObject("device")
            device.writeFields(to: &writer)
            writer.endObject()
        } else {
            writer.null("device")
        }
        writer.endObject()
        return .json(writer.bytes)
    }

    /// What cdev shows as a QR code. It holds a pairing token, so it is for the operator alone.
    @Sendable private func info(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let pairing = try await devices.createPairing(Caller(request.http))
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("ws", address(request, scheme: "ws") + "/ws")
        writer.field("http", address(request, scheme: "http"))
        writer.field("session", "")
        writer.field("repo", "")
        writer.field("auth_required", true)
        writer.field("token", pairing.token)
        writer.field("token_expires_at", pairing.expiresAt.description)
        writer.endObject()
        return .json(writer.bytes)
    }

    @Sendable private func turnInCode(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let body = try RequestObject(request.http.body)
        let token = try await devices.turnInCode(try body.text("code", atMost: 64), Caller(request.http))
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("pairing_token", token.text)
        writer.field("expires_at", token.expiresAt.description)
        writer.field("expires_in", token.remainingSeconds)
        writer.endObject()
        return .json(writer.bytes)
    }

    /// Either of the two secrets is good at either of the two paths.
    @Sendable private func exchange(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let body = try RequestObject(request.http.body)
        let secret = try body.text(body.has("pairing_token") ? "pairing_token" : "code", atMost: 64)
        let device = NewDevice(
            name: try body.optionalText("name", atMost: 100) ?? "device",
            platform: try body.optionalText("platform", atMost: 100)
        )
        return try await devices.pair(secret: secret, as: device, Caller(request.http)).response
    }

    @Sendable private func refresh(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let token = try RequestObject(request.http.body).text("refresh_token", atMost: 200)
        return try await devices.refresh(token, Caller(request.http)).response
    }

    @Sendable private func signOut(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let token = try RequestObject(request.http.body).text("refresh_token", atMost: 200)
        try await devices.signOut(token, Caller(request.http))
        return .json(Array(#"{"success":true}"#.utf8))
    }

    /// The server as the caller addressed it.
    private func address(_ request: RouteRequest, scheme: String) -> String {
        scheme + (isSecure ? "s" : "") + "://" + (request.http.headers["host"] ?? "localhost")
    }
}

extension IssuedTokens {
    fileprivate var response: HTTPResponse {
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writer.field("access_token", accessToken)
        writer.field("access_token_expires_at", accessTokenExpiresAt.description)
        writer.field("refresh_token", refreshToken)
        writer.field("refresh_token_expires_at", refreshTokenExpiresAt.description)
        writer.field("token_type", "Bearer")
        writer.field("expires_in", accessTokenSeconds)
        writer.field("device_id", String(device.rawValue))
        writer.endObject()
        return .json(writer.bytes)
    }
}

/// A request's body that must be a JSON object with texts in it.
struct RequestObject {
    private let json: JSONValue

    init(_ body: [UInt8]) throws(APIError) {
        guard let json = try? JSONValue.parse(body, maxDepth: 8), json.isObject else {
            throw .invalid("invalid_json", "The body must be a JSON object.")
        }
        self.json = json
    }

    func has(_ name: String) -> Bool { json[name] != nil }

    func text(_ name: String, atMost limit: Int) throws(APIError) -> String {
        guard let text = try optionalText(name, atMost: limit) else {
            throw .invalid("missing_parameter", "'\(name)' is missing.", param: name)
        }
        return text
    }

    /// `nil` where it is missing or null.
    func optionalText(_ name: String, atMost limit: Int) throws(APIError) -> String? {
        guard let value = json[name], value != .null else { return nil }
        guard let text = value.string, !text.isEmpty, text.count <= limit,
            !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        else {
            throw .invalid(
                "invalid_parameter",
                "'\(name)' must be 1 to \(limit) characters, without control characters.",
                param: name
            )
        }
        return text
    }
}
