internal import EventModel
internal import HTTPModel
internal import JSON

/// Devices that wait until a person lets them in, as cdev's clients and pages ask for them.
struct ApprovalRoutes: Sendable {
    let devices: any DeviceAdministration

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
        let requests = try await devices.pairingRequests()
        var writer = JSONWriter()
        writer.beginObject()
        writer.beginArray("pending")
        for request in requests {
            writer.beginObject()
            writer.field("request_id", String(request.id))
            writer.field("name", request.name)
            writer.field("platform", request.platform)
            writer.field("remote_addr", request.peer)
            // cdev's clients show this line.
            writer.field("user_agent", [request.name, request.platform].compactMap(\.self).joined(separator: ", "))
            writer.field("created_at", request.requestedAt.description)
            writer.field("expires_at", request.expiresAt.description)
            writer.endObject()
        }
        writer.endArray()
        writer.field("count", requests.count)
        writer.endObject()
        return .json(writer.bytes)
    }

    private func decide(_ request: RouteRequest, isApproved: Bool) async throws(APIError) -> HTTPResponse {
        let id = try RequestObject(request.http.body).text("request_id", atMost: 20)
        guard let number = Int64(id),
            try await devices.decidePairing(id: number, isApproved: isApproved, request.caller)
        else { throw .notFound("pairing_request_not_found", "No device waits for approval under that id.") }
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("success", true)
        writer.field("status", isApproved ? "approved" : "rejected")
        writer.field("request_id", id)
        writer.endObject()
        return .json(writer.bytes)
    }
}
