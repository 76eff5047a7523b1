internal import API
internal import HTTPModel
internal import JSON

/// `/v1/tickets`: tickets with which a page in a browser opens a WebSocket.
struct TicketRoutes: Sendable {
    let issuer: TicketService

    var routes: [Route] {
        [
            Route(.post, "/v1/tickets", .read, handler: issue)
                .described("A ticket that opens one WebSocket of the calling device.", as: "Ticket", faults: [429])
        ]
    }

    @Sendable private func issue(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        .json(TicketRoutes.shape, try issuer.ticket(for: request.http))
    }

    static let shape = ObjectShape<(text: String, seconds: Int64)>("Ticket") { it in
        it.member("ticket") { $0.text }
        it.member("expires_in") { $0.seconds }
    }
}
