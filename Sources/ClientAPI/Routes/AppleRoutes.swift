internal import EventModel
internal import HTTPModel
internal import JSON

/// Sign in with Apple, and the people who may.
struct AppleRoutes: Sendable {
    let devices: any DeviceAdministration
    /// `nil`: switched off.
    let service: (any AppleSignInService)?

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
                .described("People who may sign in with Apple.", as: "IdentityList"),
            Route(.delete, "/v1/identities/{id}", .administer, handler: remove)
                .described("Removes one of them, and revokes their devices.", as: "RemovedIdentity", faults: [404]),
        ]
    }

    private func running() throws(APIError) -> any AppleSignInService {
        guard let service else { throw .notFound("apple_sign_in_off", "Nobody signs in with Apple at this server.") }
        return service
    }

    @Sendable private func begin(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let nonce = try await running().beginSignIn(request.caller)
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("nonce", nonce.text)
        writer.field("expires_at", nonce.expiresAt.description)
        writer.field("expires_in", nonce.remainingSeconds)
        writer.endObject()
        return .json(writer.bytes)
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
        let records = try await devices.identities()
        var writer = JSONWriter(reserving: 256 * (records.count + 1))
        writer.beginObject()
        writer.beginArray("identities")
        for record in records {
            writer.beginObject()
            writer.field("id", String(record.id))
            writer.field("subject", record.subject)
            writer.field("email", record.email)
            writer.field("invited", record.wasInvited)
            writer.field("created_at", record.boundAt.description)
            writer.field("last_seen_at", record.lastSeenAt.description)
            writer.field("device_count", record.deviceCount)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return .json(writer.bytes)
    }

    @Sendable private func remove(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard let id = request.parameters["id"].flatMap({ Int64($0) }),
            let count = try await devices.removeIdentity(id: id, request.caller)
        else { throw .notFound("identity_not_found", "There is no person of that id.") }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("id", String(id))
        writer.field("removed", true)
        writer.field("revoked_devices", count)
        writer.endObject()
        return .json(writer.bytes)
    }
}
