internal import API
internal import Compression
internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import JSON

/// `POST /api/heartbeat`: a machine reports which of its sessions are alive.
struct HeartbeatRoutes: Sendable {
    let receiver: HeartbeatReceiver
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.post, "/api/heartbeat", .post, handler: beat).described(
                "The machine's live sessions, once a minute. With a machine's key.",
                body: "Heartbeat",
                as: "HookAnswer",
                status: 202,
                faults: [413, 415]
            )
        ]
    }

    @Sendable private func beat(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        guard case .machine(let grant)? = request.principal?.holder else {
            throw .insufficientScope("Only a machine's key may send heartbeats.")
        }
        let decoder = BodyDecoder(maxBytes: 256 << 10)
        let body = try decoder.decode(request.http.body, contentEncoding: request.http.headers["content-encoding"])
        guard let beat = Heartbeat(body: body, at: clock()) else {
            throw .invalid(
                "invalid_heartbeat",
                "The body is not an object with the list 'sessions', or its 'approvals' are not valid.",
                param: "sessions"
            )
        }
        try await receiver.receive(beat, from: grant.machine, named: grant.machineName)
        return .json(status: 202, Array("{}".utf8))
    }
}
