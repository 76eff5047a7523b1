internal import HTTPModel

/// Connections that have had their time. All of the library's timers are in one sorted list, which it walks for each
/// that it sets: so they are taken out again, but for those of a request's head, of whose bytes it tells nobody, and of
/// closing.
extension NetworkLoop {
    /// Most deadlines come within a turn.
    static let deadlineTurn = 128

    /// Monotonic second after which the connection is cut off: a deadline of its mode, which is to be set before;
    /// `.max`: none. One that moves further away, as each request and answer moves it, costs nothing: the wheel comes
    /// by at the old one and goes on.
    func setDeadline(_ second: Int, of connection: Connection) {
        connection.deadline = second
        visit(connection, by: visitDue(to: connection))
    }

    private func visit(_ connection: Connection, by second: Int) {
        guard second < connection.nextVisit else { return }
        connection.nextVisit = deadlines.add(connection.id, at: second)
    }

    /// A body is looked at once a second.
    private func visitDue(to connection: Connection) -> Int {
        if case .reading = connection.mode { return second + 1 }
        return connection.deadline == .max ? .max : connection.deadline + 1
    }

    /// Once a second.
    func expireOverdue(now: Int) {
        for (id, second) in deadlines.tick(now: now) {
            guard let connection = connections[id], connection.nextVisit == second else { continue }
            connection.nextVisit = .max
            // Set again with each piece of a body: a pause is judged by the rate, and told.
            if case .reading = connection.mode { connection.wire?.stopTimeout() }
            if isOverdue(connection, now: now) { expire(connection, now: now) }
            visit(connection, by: max(now + 1, visitDue(to: connection)))
        }
    }

    private func isOverdue(_ connection: Connection, now: Int) -> Bool {
        if connection.deadline < now { return true }
        guard case .reading(let exchange) = connection.mode, configuration.minBodyRate > 0 else { return false }
        let elapsed = now - exchange.startedAt
        guard elapsed > configuration.bodyGraceSeconds else { return false }
        return exchange.request.body.count < (elapsed - configuration.bodyGraceSeconds) * configuration.minBodyRate
    }

    private func expire(_ connection: Connection, now: Int) {
        guard let wire = connection.wire else { return }
        switch connection.mode {
        case .idle where wire.isReadingHead && now <= connection.deadline + configuration.headerSeconds:
            break
        case .idle:
            wire.closeSoon(gently: true)
        case .waiting(let exchange):
            let error = APIError.unavailable("answer_overdue", "No answer in time.", retryAfter: 1)
            respond(exchange.id, error.response(requestID: exchange.request.requestID))
        case .reading(let exchange):
            let error = APIError(
                .invalidRequest,
                status: 408,
                code: "body_too_slow",
                message: "The body came too slowly."
            )
            _ = refuse(error, exchange.request.requestID, connection, wire, mayHaveBody: true)
        case .link(let link) where link.closing == nil && hasProgressed(connection, wire):
            awaitProgress(connection, wire)
        default:
            wire.closeSoon(gently: false)
        }
    }
}
