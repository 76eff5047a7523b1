public import HTTPModel

/// Why a wait ended without an answer from its handler.
public enum WaitEnd: Sendable, Equatable {
    /// The client's connection has ended. No answer can be sent.
    case clientGone
    /// The deadline has passed.
    case deadline
    /// The loop is stopping.
    case stopping
}

/// A wait that the handler has requested. Loop thread only.
struct Wait {
    /// Monotonic microseconds.
    let deadline: Int64
    let ended: (WaitEnd, isolated NetworkLoop) -> HTTPResponse?
}

/// Answers that take longer than `answerSeconds`: long polls. A waiting answer costs only its connection.
extension NetworkLoop {
    private static let longestWait = 86_400.0

    /// Loop thread only. Allows the answer to a request `seconds` from now instead of `answerSeconds`.
    ///
    /// `ended` is called once, on the loop's thread, if the wait ends before `respond` or `openStream`: within a second
    /// after the client has gone, up to a second after the deadline, or at once when the loop stops. The response that
    /// it returns is sent unless the client has gone; nil stands for a 503. If the exchange is already answered or its
    /// client has gone, `ended` is called with `clientGone` before `wait` returns.
    public func wait(
        for id: ExchangeID,
        seconds: Double,
        ended: @escaping (WaitEnd, isolated NetworkLoop) -> HTTPResponse?
    ) {
        guard let connection = exchanges[id], case .waiting(let exchange) = connection.mode else {
            _ = ended(.clientGone, self)
            return
        }
        let duration = min(max(0, seconds), Self.longestWait)
        exchange.wait = Wait(deadline: ServiceContext.now + Int64(duration * 1_000_000), ended: ended)
        // The answer does not need the headers. Thousands of requests may wait for an hour, so their memory is freed.
        exchange.request.headers = [:]
        exchange.request.admission = nil
        if isStopping { return endWait(of: exchange, .stopping) }
        setDeadline(.max, of: connection)
    }

    /// Does nothing for an exchange that has no wait of its own.
    func endWait(of exchange: Exchange, _ end: WaitEnd) {
        guard let wait = exchange.wait else { return }
        exchange.wait = nil
        let response = wait.ended(end, self)
        guard end != .clientGone else { return }
        let error = end == .stopping ? Self.stopping : Self.overdue
        respond(exchange.id, response ?? error.response(requestID: exchange.request.requestID))
    }

    static let overdue = APIError.unavailable("answer_overdue", "No answer in time.", retryAfter: 1)
}
