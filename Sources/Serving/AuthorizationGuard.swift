package import Access
package import Audit
package import EventModel
package import HTTPModel
package import Logging

/// Decides whether a request is authorized, and counts it against the rate limit of its key or device. This is the only
/// way to learn who sent a request, so no route is left uncounted. Also counts refusals.
package struct AuthorizationGuard: Sendable {
    let authenticator: Authenticator
    let rates: RateLimiter
    let database: Database
    let metrics: ServerMetrics
    let audit: AccessAudit
    let logger: Logger
    /// Limits credentials that may be guesses of the admin token. A correct credential is never refused because of
    /// wrong ones from the same address: the token is too long to guess, and this limit only bounds the log.
    private let guesses = AttemptLimiter(perPeer: RateLimit(requestsPerSecond: 2, burst: 200), overAll: nil)

    package init(
        _ authenticator: Authenticator,
        rates: RateLimiter,
        database: Database,
        metrics: ServerMetrics,
        audit: AccessAudit,
        logger: Logger
    ) {
        (self.authenticator, self.rates, self.database, self.metrics) = (authenticator, rates, database, metrics)
        (self.audit, self.logger) = (audit, logger)
    }

    @Sendable package func admitAdministrator(_ request: HTTPRequest) throws(APIError) -> Principal {
        try authorize(request, for: .administer)
    }

    /// - Parameter isFree: whether the request is taken even beyond the rate limit, and then does not count.
    func authorize(
        _ request: HTTPRequest,
        for capability: Capability,
        isFree: (Principal) -> Bool = { _ in false }
    ) throws(APIError) -> Principal {
        let principal = try counting(request) { () throws(APIError) in try authenticator.authenticate(request) }
        if !isFree(principal) { try take(request, of: principal) }
        return try counting(request) { () throws(APIError) in try principal.having(capability) }
    }

    /// Throws 403 unless the sender has one of the capabilities.
    func authorize(
        _ request: HTTPRequest,
        for one: Capability,
        or other: Capability
    ) throws(APIError) -> Principal {
        let principal = try authenticate(request)
        return try counting(request) { () throws(APIError) in
            guard principal.may(one) || principal.may(other) else { throw .insufficientScope(principal.lacking(one)) }
            return principal
        }
    }

    /// Does not check capabilities.
    func authenticate(_ request: HTTPRequest) throws(APIError) -> Principal {
        let principal = try counting(request) { () throws(APIError) in try authenticator.authenticate(request) }
        try take(request, of: principal)
        return principal
    }

    /// Authorizes an upgrade, which may carry a ticket instead of a credential.
    func authorizeSocket(_ request: HTTPRequest, for capability: Capability) throws(APIError) -> Principal {
        let principal = try counting(request) { () throws(APIError) in
            try authenticator.authorizeSocket(request, for: capability)
        }
        try take(request, of: principal)
        return principal
    }

    /// Throws 429 if the sender must wait. A request that was counted when its head arrived is not counted again.
    private func take(_ request: HTTPRequest, of principal: Principal) throws(APIError) {
        guard !(request.admission is any CountedAdmission) else { return }
        try countMessage(of: principal)
    }

    /// Counts a message on a socket as a request. Throws 429 if the sender must wait.
    func countMessage(of principal: Principal) throws(APIError) {
        guard let credential = principal.limitedCredential,
            let error = rates.take(credential, now: audit.clock())?.error
        else { return }
        metrics.update { $0.rateLimited += 1 }
        throw error
    }

    /// Counts a request that has the effect of several against the sender's rate limit. The request itself has been
    /// counted already. Throws 429 if the sender must wait, or send fewer at once.
    @Sendable package func countEffects(_ effects: Int, of principal: Principal) throws(APIError) {
        guard effects > 1, let credential = principal.limitedCredential,
            let verdict = rates.take(credential, requests: effects - 1, now: audit.clock()), var error = verdict.error
        else { return }
        metrics.update { $0.rateLimited += 1 }
        if effects > verdict.limit {
            error.message = "The rate limit of this credential allows \(verdict.limit) changes at once. Send fewer."
        }
        throw error
    }

    /// The rate headers for an answer to the sender; empty if no limit is set. The operator, who is not limited, sees a
    /// full bucket. Takes nothing.
    func rateHeaders(_ principal: Principal) -> [(name: String, value: String)] {
        let now = audit.clock()
        let verdict = principal.limitedCredential.map { rates.peek($0, now: now) } ?? rates.full(now: now)
        return verdict?.headers ?? []
    }

    /// The rate headers for an answer to the request; empty without a valid credential. Counts nothing.
    func rateHeaders(_ request: HTTPRequest) -> [(name: String, value: String)] {
        (try? authenticator.authenticate(request)).map(rateHeaders) ?? []
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
            // The keys are unknown as long as the database cannot be used.
            if error.status == 503, let unsuitable = database.unsuitability { throw unsuitable }
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

/// The note of a request whose head has been authorized and counted, before its body is read.
protocol CountedAdmission: Sendable {}

/// The note of a request to a route of the API.
struct CountedRequest: CountedAdmission {}
