internal import HTTPModel

/// Ends connections whose deadline has passed. Does not use the library's timers: see `Quirk.timersInOneList`.
extension NetworkLoop {
    /// Seconds. Most deadlines are nearer.
    static let deadlineTurn = 128

    /// Sets the monotonic second after which the connection is cut off; `.max` means never. Set the mode before. Each
    /// request and answer moves the deadline further away, which costs nothing: the wheel returns the connection at the
    /// old time, and it is added again.
    func setDeadline(_ second: Int, of connection: Connection) {
        connection.deadline = second
        visit(connection, by: visitDue(to: connection))
    }

    private func visit(_ connection: Connection, by second: Int) {
        guard second < connection.nextVisit else { return }
        connection.nextVisit = deadlines.add(connection.id, at: second)
    }

    /// The rate of a body is checked once a second.
    private func visitDue(to connection: Connection) -> Int {
        switch connection.mode {
        case .reading: return second + 1
        case .waiting(let exchange) where exchange.wait != nil:
            return exchange.wait.map { Int($0.deadline / 1_000_000) } ?? .max
        default: break
        }
        return connection.deadline == .max ? .max : connection.deadline + 1
    }

    /// Once a second.
    func expireOverdue(now: Int) {
        for (id, second) in deadlines.tick(now: now) {
            guard let connection = connections[id], connection.nextVisit == second else { continue }
            connection.nextVisit = .max
            if isOverdue(connection, now: now) { expire(connection, now: now) }
            visit(connection, by: max(now + 1, visitDue(to: connection)))
        }
    }

    private func isOverdue(_ connection: Connection, now: Int) -> Bool {
        if connection.deadline < now { return true }
        if case .waiting(let exchange) = connection.mode, let wait = exchange.wait {
            return wait.deadline <= ServiceContext.now
        }
        guard case .reading(let exchange) = connection.mode, configuration.minBodyRate > 0 else { return false }
        let elapsed = now - exchange.startedAt
        guard elapsed > configuration.bodyGraceSeconds else { return false }
        guard exchange.request.body.count < (elapsed - configuration.bodyGraceSeconds) * configuration.minBodyRate
        else { return false }
        // Bytes that this busy loop has not read yet are no fault of the client. Next second they will be counted.
        return connection.lws.map { !$0.hasUnread } ?? true
    }

    private func expire(_ connection: Connection, now: Int) {
        guard let lws = connection.lws else { return }
        switch connection.mode {
        case .idle where connection.hasHeadDeadline && !connection.reader.isEmpty:
            let error = APIError.tooSlow("headers_too_slow", "The headers came too slowly.")
            let requestID = identifiers.identifier(clients: nil)
            if refuse(error, requestID, connection, lws, mayHaveBody: false) != 0 { lws.closeSoon() }
        case .idle:
            lws.endOutput()
            lws.closeSoon()
        case .waiting(let exchange) where exchange.wait != nil:
            endWait(of: exchange, .deadline)
        case .waiting(let exchange):
            respond(exchange.id, Self.overdue.response(requestID: exchange.request.requestID))
        case .reading(let exchange):
            let error = APIError.tooSlow("body_too_slow", "The body came too slowly.")
            let requestID = exchange.request.requestID
            if refuse(error, requestID, connection, lws, mayHaveBody: true) != 0 { lws.closeSoon() }
        case .channel(let channel) where channel.closing == nil && hasProgressed(connection, lws):
            awaitProgress(connection, lws)
        default:
            lws.closeSoon()
        }
    }
}

extension APIError {
    fileprivate static func tooSlow(_ code: String, _ message: String) -> APIError {
        APIError(.invalidRequest, status: 408, code: code, message: message)
    }
}
