package import EventModel
package import HTTPModel
internal import Synchronization

/// Tickets are accepted for a WebSocket's upgrade only.
extension Authenticator {
    /// The sender of an upgrade, if it has the capability. Accepts a ticket, but does not use it up.
    package func authorizeSocket(_ request: HTTPRequest, for capability: Capability) throws(APIError) -> Principal {
        if let text = ticket(in: request) { return try admit(try verified(text).claims).having(capability) }
        return try authorize(request, for: capability)
    }

    /// Uses up the ticket of an upgrade that is about to be accepted. Does nothing without a ticket.
    package func redeemTicket(in request: HTTPRequest) throws(APIError) {
        guard let text = ticket(in: request), let gate else { return }
        let found = try verified(text)
        _ = try admit(found.claims)
        switch used.withLock({ $0.use(found, now: gate.clock()) }) {
        case .accepted: return
        case .repeated: throw Authenticator.invalidTicket
        case .full: throw .unavailable("too_many_tickets", "Too many tickets were used just now.", retryAfter: 5)
        }
    }

    /// A credential in a header takes precedence over a subprotocol.
    private func ticket(in request: HTTPRequest) -> Substring? {
        guard request.headers["authorization"] == nil, request.headers["x-api-key"] == nil else { return nil }
        return Credential.offered("ticket.", in: request.headers["sec-websocket-protocol"])
    }

    private func verified(_ text: Substring) throws(APIError) -> DeviceTickets.Ticket {
        guard let gate, let found = tickets?.verify(text, now: gate.clock()) else { throw Authenticator.invalidTicket }
        return found
    }

    private static var invalidTicket: APIError {
        APIError(
            .authentication,
            status: 401,
            code: "invalid_ticket",
            message: "The ticket is unknown, used or expired. Get another: POST /v1/tickets."
        )
    }
}
