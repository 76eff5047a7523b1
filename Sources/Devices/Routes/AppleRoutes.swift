internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// Sign in with Apple, and the admitted people.
struct AppleRoutes: Sendable {
    let devices: DeviceService
    /// `nil` if Sign in with Apple is disabled.
    let service: AppleService?
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.post, "/v1/auth/apple/nonce", .open, handler: begin)
                .described("Begins a sign-in with Apple.", as: "AppleNonce", faults: [404, 429]),
            Route(.post, "/v1/auth/apple", .open, handler: signIn)
                .described {
                    $0.saying(
                        "Tokens for a person whom Apple knows and who may come in.",
                        body: "AppleSignIn",
                        faults: [401, 403, 404, 429]
                    ).answering(200, "application/json", "Tokens").answering(202, "application/json", "PendingPairing")
                },
            Route(.get, "/v1/identities", .administer, handler: list)
                .described("People who may sign in with Apple.", QueryParameter.pages, as: "IdentityPage"),
            Route(.delete, "/v1/identities/{id}", .administer, handler: remove)
                .described("Removes one of them, and revokes their devices.", as: "RemovedIdentity", faults: [404]),
        ]
    }

    private func running() throws(APIError) -> AppleService {
        guard let service else { throw .notFound("apple_sign_in_off", "Nobody signs in with Apple at this server.") }
        return service
    }

    @Sendable private func begin(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        .json(PairingToken.nonce, try await running().beginSignIn(request.caller))
    }

    @Sendable private func signIn(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let service = try running()
        let body = try RequestObject(request.http.body)
        let attempt = AppleAttempt(
            identityToken: try body.text("identity_token", atMost: 8192),
            nonce: try body.text("nonce", atMost: 64),
            invitation: try body.optionalText(body.has("pairing_token") ? "pairing_token" : "code", atMost: 64)
        )
        return try await service.signIn(attempt, as: NewDevice(body), request.caller).response
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/identities", .whole)
        let identities = try await devices.identities()
        return ListAnswer(paging, request, at: clock())
            .response("identities", whole: identities, of: AppleIdentityRecord.shape)
    }

    @Sendable private func remove(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard let id = request.parameters["id"].flatMap({ Int64($0) }),
            let count = try await devices.removeIdentity(id: id, request.caller)
        else { throw .notFound("identity_not_found", "There is no person of that id.") }
        return .json(AppleRoutes.removed, (id, count))
    }

    static let removed = ObjectShape<(id: Int64, devices: Int)>("RemovedIdentity") { it in
        it.member("id") { String($0.id) }
        it.member("removed") { _ in true }
        it.member("revoked_devices") { $0.devices }
    }
}

extension AppleIdentityRecord {
    static let shape = ObjectShape<AppleIdentityRecord>("Identity") { it in
        it.member("id") { String($0.id) }
        it.member("subject") { $0.subject }
        it.member("email") { $0.email }
        it.member("invited") { $0.wasInvited }
        it.member("created_at") { $0.boundAt }
        it.member("last_seen_at") { $0.lastSeenAt }
        it.member("device_count") { $0.deviceCount }
    }
}
