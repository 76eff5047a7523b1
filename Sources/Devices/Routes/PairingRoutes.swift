internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// The routes with which a device gets its tokens: those of `/v1/pairing`, and those of cdev's clients.
struct PairingRoutes: Sendable {
    let devices: DeviceService
    /// Whether the listeners use TLS.
    let isSecure: Bool
    /// Returns the request's sender. Throws 401 or 403 if the sender may not administer.
    let authorize: @Sendable (HTTPRequest) throws(APIError) -> Principal

    var routes: [Route] {
        [
            Route(.post, "/v1/pairing", .administer, handler: create)
                .described(
                    "Opens a pairing, for a device to join.",
                    [.choice("qr", ["svg"], "Adds the QR code of the link, as a picture.")],
                    as: "Pairing",
                    status: 201,
                    faults: [429]
                )
                .described { $0.takingOptional(body: "PairingWish") },
            Route(.post, "/v1/pairing/exchange", .open, handler: exchange)
                .described(exchangeDescription),
            Route(.get, "/v1/pairing/{id}", .administer, handler: follow)
                .described("How a pairing stands.", as: "PairingState"),
            Route(.get, "/api/pair/info", .open, handler: info).described {
                $0.saying(
                    "How to reach the server; to the operator also a new pairing, as a QR code holds it.",
                    faults: [429, 500]
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
                    "Exchanges a refresh token for new tokens.",
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
        let hasPicture = try request.query.choice("qr", of: ["svg"]) != nil
        let pairing = try await devices.createPairing(try PairingWish(request.http.body), request.caller)
        let address = ServerAddress(request.http, isSecure: isSecure)
        let invitation = PairingInvitation(pairing: pairing, address: address, hasPicture: hasPicture)
        return .json(status: 201, PairingInvitation.shape, invitation)
    }

    @Sendable private func follow(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard let id = request.parameters["id"].flatMap({ Int64($0) }), let pairing = try await devices.pairing(id: id)
        else { throw .notFound("pairing_not_found", "There is no pairing of that id.") }
        return .json(PairingRecord.shape, pairing)
    }

    /// The content of cdev's QR code. Only the operator gets a pairing token. Before cdev's app exchanges a code, it
    /// requests this to learn that it needs one, with the credential of an earlier pairing if it has one.
    @Sendable private func info(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let address = ServerAddress(request.http, isSecure: isSecure)
        guard let administrator = try request.http.administrator(authorize) else {
            return .json(PairingInvitation.code, (address, nil))
        }
        let caller = Caller(request.http, administrator)
        return .json(PairingInvitation.code, (address, try await devices.createPairing(PairingWish(), caller)))
    }

    @Sendable private func turnInCode(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let body = try RequestObject(request.http.body)
        let token = try await devices.turnInCode(try body.text("code", atMost: 64), request.caller)
        return .json(PairingToken.shape, token)
    }

    /// Both paths accept either of the two secrets.
    @Sendable private func exchange(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let body = try RequestObject(request.http.body)
        let secret = try body.text(body.has("pairing_token") ? "pairing_token" : "code", atMost: 64)
        let device = try NewDevice(body)
        return try await devices.pair(secret: secret, as: device, request.caller).response
    }

    @Sendable private func renew(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let pairing = try await devices.renewPairing(request.caller)
        return .json(NewPairing.renewed, pairing)
    }

    @Sendable private func refresh(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let token = try RequestObject(request.http.body).text("refresh_token", atMost: 200)
        return .json(IssuedTokens.shape, try await devices.refresh(token, of: .program, request.caller))
    }

    @Sendable private func signOut(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let token = try RequestObject(request.http.body).text("refresh_token", atMost: 200)
        try await devices.signOut(token, of: .program, request.caller)
        return .json(Array(#"{"success":true}"#.utf8))
    }
}

extension PairingRecord {
    static let shape = ObjectShape<PairingRecord>("PairingState") { it in
        it.member("id") { String($0.id) }
        it.member("expires_at") { $0.expiresAt }
        it.member("used") { $0.device != nil }
        it.word("approval") { $0.request }
        it.objectOrNull("device", DeviceRecord.shape) { $0.device }
    }
}

extension NewPairing {
    static let renewed = ObjectShape<NewPairing>("RenewedPairing") { it in
        it.member("token") { $0.cdevToken }
        it.member("code") { $0.code }
        it.member("expires_at") { $0.expiresAt }
        it.member("message") { _ in
            "All pairing codes and tokens that were not used are void. Devices stay paired."
        }
    }
}

extension PairingToken {
    static let shape = ObjectShape<PairingToken>("PairingToken") { it in
        it.member("pairing_token") { $0.text }
        it.member("expires_at") { $0.expiresAt }
        it.member("expires_in") { $0.remainingSeconds }
    }

    /// The nonce of a sign-in with Apple.
    static let nonce = ObjectShape<PairingToken>("AppleNonce") { it in
        it.member("nonce") { $0.text }
        it.member("expires_at") { $0.expiresAt }
        it.member("expires_in") { $0.remainingSeconds }
    }
}
