internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// `/api/messages`: the messages that machines deliver to their sessions.
struct PosterRoutes: Sendable {
    let service: MessageService

    private static let maximumDetail = 500

    var routes: [Route] {
        [
            Route(.get, "/api/messages", .post, handler: next)
                .waiting { _ in
                    AnswerWait(seconds: MessageService.pollSeconds, overdue: HTTPResponse(status: 204))
                }
                .described {
                    $0.saying(
                        "The next message to a session, for its machine: 204 if there is none within 50 s.",
                        [
                            .text("session_id", "The session, by Claude Code's own id."),
                            .text("pid", "The process of its Claude Code."),
                            .choice("socket", ["yes", "no"], "'no': its Claude Code takes no messages."),
                        ],
                        faults: [410]
                    ).notCached().answering(200, "application/json", "OfferedMessage").answering(
                        204,
                        "application/json"
                    )
                },
            Route(.post, "/api/messages/{id}/receipt", .post, handler: receipt)
                .described {
                    $0.saying("What became of a message.", body: "MessageReceipt", faults: [404])
                        .answering(204, "application/json")
                },
        ]
    }

    private func machine(_ request: RouteRequest) throws(APIError) -> MachineID {
        guard case .machine(let grant)? = request.principal?.holder else {
            throw .insufficientScope("Only the machine's own key delivers its messages.")
        }
        return grant.machine
    }

    @Sendable private func next(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let machine = try machine(request)
        guard let session = request.query["session_id"], !session.isEmpty else {
            throw .invalid("missing_parameter", "'session_id' is missing.", param: "session_id")
        }
        let hasSocket = request.query["socket"] != "no"
        let message = try await service.nextMessage(ofSessionNamed: session, for: machine, hasSocket: hasSocket)
        guard let message else { return HTTPResponse(status: 204) }
        return .json(PosterRoutes.shape, message)
    }

    @Sendable private func receipt(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let machine = try machine(request)
        let body = try JSONValue(object: request.http.body)
        let state: SessionMessage.State
        switch body["state"]?.string {
        case "delivered", "applied": state = .delivered
        case "read": state = .read
        case "failed", "expired": state = .failed
        default:
            throw .invalid(
                "invalid_parameter",
                "'state' must be delivered, applied, read, failed or expired.",
                param: "state"
            )
        }
        let detail = (body["detail"]?.string ?? body["reason"]?.string).map {
            String($0.prefix(PosterRoutes.maximumDetail))
        }
        try await service.receipt(request.parameters["id"] ?? "", state, detail: detail, from: machine)
        return HTTPResponse(status: 204)
    }

    static let shape = ObjectShape<SessionMessage>("OfferedMessage") { it in
        it.object("message", offered) { $0.kind == .message ? $0 : nil }
        it.object("interrupt", offered) { $0.kind == .interrupt ? $0 : nil }
    }

    private static let offered = ObjectShape<SessionMessage> { it in
        it.member("id") { $0.id }
        it.member("text") { $0.text }
    }
}
