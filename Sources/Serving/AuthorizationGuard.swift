package import Access
package import Devices
package import EventModel
package import HTTPModel
package import Logging

/// Decides whether a request is authorized, and counts refusals.
package struct AuthorizationGuard: Sendable {
    let authenticator: Authenticator
    let metrics: ServerMetrics
    let audit: AccessAudit
    let logger: Logger
    /// Limits credentials that may be guesses of the admin token. A correct credential is never refused because of
    /// wrong ones from the same address: the token is too long to guess, and this limit only bounds the log.
    private let guesses = AttemptLimiter(perPeer: RateLimit(requestsPerSecond: 2, burst: 200), overAll: nil)

    package init(_ authenticator: Authenticator, metrics: ServerMetrics, audit: AccessAudit, logger: Logger) {
        (self.authenticator, self.metrics, self.audit, self.logger) = (authenticator, metrics, audit, logger)
    }

    @Sendable package func admitAdministrator(_ request: HTTPRequest) throws(APIError) -> Principal {
        try authorize(request, for: .administer)
    }

    func authorize(_ request: HTTPRequest, for capability: Capability) throws(APIError) -> Principal {
        try counting(request) { () throws(APIError) in try authenticator.authorize(request, for: capability) }
    }

    /// Does not check capabilities.
    func authenticate(_ request: HTTPRequest) throws(APIError) -> Principal {
        try counting(request) { () throws(APIError) in try authenticator.authenticate(request) }
    }

    /// Authorizes an upgrade, which may carry a ticket instead of a credential.
    func authorizeSocket(_ request: HTTPRequest, for capability: Capability) throws(APIError) -> Principal {
        try counting(request) { () throws(APIError) in try authenticator.authorizeSocket(request, for: capability) }
    }

    func redeemTicket(in request: HTTPRequest) throws(APIError) {
        try counting(request) { () throws(APIError) in try authenticator.redeemTicket(in: request) }
    }

    private func counting<Answer>(
        _ request: HTTPRequest,
        _ body: () throws(APIError) -> Answer
    ) throws(APIError) -> Answer {
        do {
            return try body()
        } catch {
            guard error.status == 401 || error.status == 403 else { throw error }
            metrics.update { $0.refusedLogins += 1 }
            if error.code == "invalid_api_key", Authenticator.mayBeGuess(request) {
                audit.noteGuess(peer: request.peerAddress, requestID: request.requestID)
                let charged = guesses.charge(error, peer: request.peerAddress, now: audit.clock())
                guard charged.status == error.status else { throw charged }
            }
            logger.info(
                "refused",
                metadata: [
                    LogKey.requestID: "\(request.requestID)", LogKey.peer: "\(request.peerAddress)",
                    LogKey.code: "\(error.code)",
                ]
            )
            throw error
        }
    }
}
