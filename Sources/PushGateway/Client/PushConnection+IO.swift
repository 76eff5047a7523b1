internal import HTTPClient

extension PushConnection {
    /// Reads the available bytes. `pump` sends the responses to them.
    func receive(_ readiness: Readiness, now: Double) {
        let wasOpening = link.isOpening
        var failure: ConnectionError?
        do throws(ConnectionError) { try link.receive(readiness, now: now) } catch { failure = error }
        if wasOpening, link.isOpen { health.opened(now: now) }
        // What arrived before a failure counts.
        settle(now: now)
        if let failure { close(failure) }
    }

    /// Sends all that is queued.
    func pump(now: Double) {
        closingOnError { () throws(ConnectionError) in
            try link.flush(now: now)
            settle(now: now)
            // Pushes in progress would wait forever. `tick` closes a draining connection without pushes.
            if link.isOver, drainEnd == nil || !isIdle {
                throw ConnectionError(.protocolViolation, "the server violated HTTP/2")
            }
        }
    }

    /// Ends the connection, gracefully without an error. Reports pushes in progress as lost.
    func close(_ error: ConnectionError?) {
        guard !isClosed else { return }
        link.close(isGraceful: error == nil)
        settle(isLost: true)
        becomeUnusable(error)
    }

    func closingOnError(_ work: () throws(ConnectionError) -> Void) {
        do throws(ConnectionError) { try work() } catch { close(error) }
    }
}
