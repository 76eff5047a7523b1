internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// Devices that wait for a person's approval, in the format of cdev's clients and pages.
struct ApprovalRoutes: Sendable {
    let devices: DeviceService

    var routes: [Route] {
        [
            Route(.get, "/api/auth/pairing/pending", .administer, handler: list)
                .described("Devices that wait for approval.", as: "PendingPairings"),
            Route(.post, "/api/auth/pairing/approve", .administer) { request async throws(APIError) in
                try await decide(request, isApproved: true)
            }.described("Lets a device in.", body: "PairingRequestID", as: "PairingDecision", faults: [404]),
            Route(.post, "/api/auth/pairing/reject", .administer) { request async throws(APIError) in
                try await decide(request, isApproved: false)
            }.described("Turns a device away.", body: "PairingRequestID", as: "PairingDecision", faults: [404]),
        ]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        .json(ApprovalRoutes.pending, try await devices.pairingRequests())
    }

    static let pending = ObjectShape<[PairingRequest]>("PendingPairings") { it in
        it.list("pending", of: PairingRequest.shape) { $0 }
        it.member("count") { $0.count }
    }

    private func decide(_ request: RouteRequest, isApproved: Bool) async throws(APIError) -> HTTPResponse {
        let id = try RequestObject(request.http.body).text("request_id", atMost: 20)
        guard let number = Int64(id),
            try await devices.decidePairing(id: number, isApproved: isApproved, request.caller)
        else { throw .notFound("pairing_request_not_found", "No device waits for approval under that id.") }
        return .json(ApprovalRoutes.decision, (id, isApproved))
    }

    static let decision = ObjectShape<(id: String, isApproved: Bool)>("PairingDecision") { it in
        it.member("success") { _ in true }
        it.member("status", as: JSONSchema.words("approved", "rejected")) { $0.isApproved ? "approved" : "rejected" }
        it.member("request_id") { $0.id }
    }
}

extension PairingRequest {
    fileprivate static let shape = ObjectShape<PairingRequest>("PairingRequest") { it in
        it.member("request_id") { String($0.id) }
        it.member("name") { $0.name }
        it.member("platform") { $0.platform }
        it.member("remote_addr") { $0.peer }
        it.member("capabilities") { $0.capabilities.map(\.rawValue) }
        // cdev's clients display this line.
        it.member("user_agent") { [$0.name, $0.platform].compactMap(\.self).joined(separator: ", ") }
        it.member("created_at") { $0.requestedAt }
        it.member("expires_at") { $0.expiresAt }
    }
}
