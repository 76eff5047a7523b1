internal import API
package import Access
package import EventModel
package import HTTPModel
package import Logging
internal import Signing

/// Issues WebSocket tickets to devices.
package struct TicketService: Sendable {
    let authenticator: Authenticator
    let tickets: DeviceTickets
    let clock: @Sendable () -> Timestamp
    let logger: Logger
    /// Within a ticket's lifetime it allows fewer tickets than the server remembers as used.
    private let limiter = AttemptLimiter(
        perPeer: RateLimit(requestsPerSecond: 1, burst: 30),
        overAll: RateLimit(requestsPerSecond: 200, burst: 2000)
    )

    package init(
        _ authenticator: Authenticator,
        _ tickets: DeviceTickets,
        clock: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) {
        (self.authenticator, self.tickets, self.clock, self.logger) = (authenticator, tickets, clock, logger)
    }

    /// Issues a ticket to the requesting device.
    package func ticket(for request: HTTPRequest) throws(APIError) -> (text: String, seconds: Int64) {
        guard case .device(let claims, _) = try authenticator.authenticate(request).holder else {
            throw APIError(
                .permission,
                status: 403,
                code: "not_a_device",
                message: "Only a device gets a ticket."
            )
        }
        let now = clock()
        try limiter.take(peer: "device-\(claims.device.rawValue)", now: now)
        do throws(SigningError) {
            return (try tickets.issue(for: claims, now: now), DeviceTickets.lifetimeSeconds)
        } catch {
            logger.error("ticket not signed", metadata: ["error": "\(error)"])
            throw APIError(.internalError, status: 500, code: "signing_failed", message: "No ticket could be signed.")
        }
    }
}
