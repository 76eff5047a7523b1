internal import HTTPModel

/// Connections that have had their time. The library's own timers are kept for a request's head alone, of whose bytes
/// it tells nobody: all of them are in one sorted list, which it walks for each that it sets.
extension NetworkLoop {
    /// Most deadlines come within a turn.
    static let deadlineTurn = 128

    /// Monotonic second after which the connection is cut off: a deadline of its mode; `.max`, which is just assigned,
    /// where it has none. One that moves further away, as each request and answer moves it, costs nothing: the wheel
    /// comes by at the old one and goes on.
    func setDeadline(_ second: Int, of connection: Connection) {
        connection.deadline = second
        visit(connection, by: nextVisit(to: connection))
    }

    private func visit(_ connection: Connection, by second: Int) {
        guard second < connection.nextVisit else { return }
        connection.nextVisit = deadlines.add(connection.id, at: second)
    }

    /// A body is looked at once a second when it has had its grace.
    private func nextVisit(to connection: Connection) -> Int {
        let overdue = connection.deadline == .max ? .max : connection.deadline + 1
        guard case .reading(let exchange) = connection.mode, configuration.minBodyRate > 0 else { return overdue }
        return min(overdue, exchange.startedAt + configuration.bodyGraceSeconds + 1)
    }

    /// Once a second.
    func expireOverdue(now: Int) {
        for (id, second) in deadlines.tick(now: now) {
            guard let connection = connections[id], connection.nextVisit == second else { continue }
            connection.nextVisit = .max
            if isOverdue(connection, now: now) { expire(connection) }
            visit(connection, by: max(now + 1, nextVisit(to: connection)))
        }
    }

    private func isOverdue(_ connection: Connection, now: Int) -> Bool {
        if connection.deadline < now { return true }
        guard case .reading(let exchange) = connection.mode, configuration.minBodyRate > 0 else { return false }
        let elapsed = now - exchange.startedAt
        guard elapsed > configuration.bodyGraceSeconds else { return false }
        return exchange.request.body.count < (elapsed - configuration.bodyGraceSeconds) * configuration.minBodyRate
    }

    private func expire(_ connection: Connection) {
        guard let wire = connection.wire else { return }
        switch connection.mode {
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
