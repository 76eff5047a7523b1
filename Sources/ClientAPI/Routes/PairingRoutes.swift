internal import EventModel
internal import HTTPModel
internal import JSON

/// How a device gets its tokens: the routes of `/v1/pairing`, and those of cdev's clients.
struct PairingRoutes: Sendable {
    let devices: any DeviceAdministration
    /// Whether the listeners speak TLS.
    let isSecure: Bool
    /// The request's sender; throws 401 or 403 where it may not administer.
    let authorize: @Sendable (HTTPRequest) throws(APIError) -> Principal

    var routes: [Route] {
        [
            Route(.post, "/v1/pairing", .administer, handler: create)
                .described("Opens a pairing, for a device to join.", as: "Pairing", status: 201, faults: [429])
                .described { $0.takingOptional(body: "PairingWish") },
            Route(.post, "/v1/pairing/exchange", .open, handler: exchange)
                .described(exchangeDescription),
            Route(.get, "/v1/pairing/{id}", .administer, handler: follow)
                .described("How a pairing stands.", as: "PairingState"),
            Route(.get, "/api/pair/info", .open, handler: info).described {
                $0.saying(
                    "How to reach the server; to the operator also a new pairing, as a QR code holds it.",
                    faults: [401, 429, 500]
                )
                .answering(200, "application/json", "PairingInfo").notCached()
            },
            Route(.post, "/api/pair/refresh", .administer, handler: renew)
                .described(
                    "Voids the pairings that nobody has used, and opens another.",
                    as: "RenewedPairing",
                    faults: [429]
                ),
            Route(.post, "/api/pair/code", .open, handler: turnInCode)
                .described("Turns in a pairing code.", body: "PairingCode", as: "PairingToken", faults: [429]),
            Route(.post, "/api/auth/exchange", .open, handler: exchange)
                .described(exchangeDescription),
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

    private func exchangeDescription(_ description: RouteDescription) -> RouteDescription {
        description.saying("Turns a pairing code or token into tokens.", body: "PairingSecret", faults: [403, 429])
            .answering(200, "application/json", "Tokens").answering(202, "application/json", "PendingPairing")
    }

    @Sendable private func create(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let pairing = try await devices.createPairing(try PairingWish(request.http.body), request.caller)
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", String(pairing.id))
        writer.field("code", pairing.code)
        writer.field("pairing_token", pairing.token)
        writer.field("cdev_token", pairing.cdevToken)
        writer.field("expires_at", pairing.expiresAt.description)
        writer.field("expires_in", pairing.lifetimeSeconds)
        writer.field("url", ServerAddress(request.http, isSecure: isSecure).http)
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
        writer.field("approval", pairing.request.rawValue)
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

    /// What cdev shows as a QR code, with a pairing token for the operator alone. cdev's app asks without a credential
    /// before it turns in a code, and learns that it needs one.
    @Sendable private func info(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard request.http.hasCredential else {
            return .json(PairingInvitation.json(ServerAddress(request.http, isSecure: isSecure), nil))
        }
        let caller = Caller(request.http, try authorize(request.http))
        let pairing = try await devices.createPairing(PairingWish(), caller)
        let address = ServerAddress(request.http, isSecure: isSecure)
        return .json(PairingInvitation(pairing: pairing, address: address).json)
    }

    @Sendable private func turnInCode(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let body = try RequestObject(request.http.body)
        let token = try await devices.turnInCode(try body.text("code", atMost: 64), request.caller)
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
        let device = try NewDevice(body)
        return try await devices.pair(secret: secret, as: device, request.caller).response
    }

    @Sendable private func renew(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let pairing = try await devices.renewPairing(request.caller)
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("token", pairing.cdevToken)
        writer.field("code", pairing.code)
        writer.field("expires_at", pairing.expiresAt.description)
        writer.field("message", "All pairing codes and tokens that were not used are void. Devices stay paired.")
        writer.endObject()
        return .json(writer.bytes)
    }

    @Sendable private func refresh(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let token = try RequestObject(request.http.body).text("refresh_token", atMost: 200)
        return try await devices.refresh(token, request.caller).response
    }

    @Sendable private func signOut(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let token = try RequestObject(request.http.body).text("refresh_token", atMost: 200)
        try await devices.signOut(token, request.caller)
        return .json(Array(#"{"success":true}"#.utf8))
    }
}
