internal import HTTPModel

extension NetworkLoop {
    /// How much of an unwanted body is read and thrown away, so that the client sees the answer before the end.
    static let drainBytes = 512 * 1024
    static let drainSeconds = 2
    /// How often in one turn the end of a body may be said again before the connection is given up.
    static let maximumRepeatedEnds = 16

    /// A request's head is complete.
    func begin(_ reader: HeaderReader, _ connection: Connection, _ wire: Wire) -> Int32 {
        wire.stopTimeout()
        connection.input = .open
        setDeadline(.max, of: connection)
        let facts = reader.facts(isLocal: connection.isLocal)
        if facts.announcesBody, connection.hasAnswered, wire.mayHaveLeftOver {
            // Pipelined behind another request: unanswered, so the client sends it again (RFC 9112 §9.3.2).
            connection.mode = .ending
            return -1
        }
        let requestID = identifiers.identifier(clients: reader.header(requestIDHeader))
        let passage: Passage
        switch gate.check(facts) {
        case .failure(let error):
            return refuse(error, requestID, connection, wire, mayHaveBody: facts.announcesBody)
        case .success(let granted):
            passage = granted
        }
        let request = reader.request(
            passing: passedHeaders,
            requestID: requestID,
            peer: connection.peer
        )
        let exchange = Exchange(
            id: ExchangeID(rawValue: newID()),
            request: request,
            passage: passage,
            oldClient: facts.version == "HTTP/1.0",
            startedAt: second
        )
        if isStopping {
            let error = APIError.unavailable("stopping", "The server is stopping.", retryAfter: 1)
            return refuse(error, requestID, connection, wire, mayHaveBody: passage.bodyLength > 0)
        }
        return admit(exchange, connection, wire)
    }

    private func admit(_ exchange: Exchange, _ connection: Connection, _ wire: Wire) -> Int32 {
        let length = exchange.passage.bodyLength
        let id = exchange.request.requestID
        switch handler.admit(exchange.request, bodyLength: length, on: self) {
        case .refuse(let response) where length > 0:
            return refuse(with: response, id, connection, wire, mayHaveBody: true)
        case .refuse(let response):
            connection.mode = .waiting(exchange)
            exchanges[exchange.id] = connection
            respond(exchange.id, response)
            return 0
        case .read(let limit, _) where length > limit:
            return refuse(.bodyTooLarge(limit), id, connection, wire, mayHaveBody: true)
        case .read(let limit, let note):
            guard let lease = bodies.lease(length) else {
                let error = APIError.unavailable("busy", "Too many bodies are under way.", retryAfter: 1)
                return refuse(error, id, connection, wire, mayHaveBody: true)
            }
            exchange.bodyLimit = limit
            exchange.request.admission = note
            exchange.bodyLease = lease
        }
        // libwebsockets announces the end of an empty POST, and of no other empty request.
        guard length > 0 || exchange.request.method == .post else { return dispatch(exchange, connection, wire) }
        connection.mode = .reading(exchange)
        setDeadline(exchange.startedAt + configuration.bodySeconds, of: connection)
        exchange.request.body.reserveCapacity(min(length, 256 * 1024))
        if exchange.passage.expectsContinue {
            let line = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
            guard wire.write(line, count: line.count) else { return -1 }
        }
        return 0
    }

    func bodyArrived(_ bytes: BorrowedBytes, _ connection: Connection, _ wire: Wire) -> Int32 {
        switch connection.mode {
        case .reading(let exchange):
            guard exchange.request.body.count + bytes.count <= exchange.bodyLimit else {
                let id = exchange.request.requestID
                return refuse(.bodyTooLarge(exchange.bodyLimit), id, connection, wire, mayHaveBody: true)
            }
            bytes.append(to: &exchange.request.body)
            return 0
        case .draining:
            return drop(bytes.count, connection)
        default:
            return 0
        }
    }

    func bodyEnded(_ connection: Connection, _ wire: Wire) -> Int32 {
        switch connection.mode {
        case .reading(let exchange):
            return dispatch(exchange, connection, wire)
        case .draining:
            return -1
        case .waiting, .writing:
            // Said again for each byte of a next request that came too early: see Wire.parkReading.
            wire.askWriteable()
            // Within one turn it is said again for ever.
            if connection.repeatedEnd.turn != turn { connection.repeatedEnd = (turn, 0) }
            connection.repeatedEnd.count += 1
            return connection.repeatedEnd.count > Self.maximumRepeatedEnds ? -1 : 0
        default:
            return 0
        }
    }

    private func dispatch(_ exchange: Exchange, _ connection: Connection, _ wire: Wire) -> Int32 {
        connection.mode = .waiting(exchange)
        setDeadline(second + configuration.answerSeconds, of: connection)
        exchanges[exchange.id] = connection
        wire.stopTimeout()
        let request = exchange.request
        exchange.request.body = []
        exchange.bodyLease = nil
        handler.handle(request, exchange: exchange.id, on: self)
        if case .waiting = connection.mode, exchange.passage.bodyLength == 0 { wire.askWriteable() }
        return 0
    }

    func refuse(
        _ error: APIError,
        _ requestID: String,
        _ connection: Connection,
        _ wire: Wire,
        mayHaveBody: Bool
    ) -> Int32 {
        let response = error.response(requestID: requestID)
        return refuse(with: response, requestID, connection, wire, mayHaveBody: mayHaveBody)
    }

    /// Answers and closes. The result is for the callback that is running.
    func refuse(
        with response: HTTPResponse,
        _ requestID: String,
        _ connection: Connection,
        _ wire: Wire,
        mayHaveBody: Bool
    ) -> Int32 {
        let bytes =
            ResponseEncoder.head(
                of: response,
                framing: .length(response.body.count),
                closes: true,
                oldClient: false,
                requestID: requestID
            ) + response.body
        guard wire.write(bytes, count: bytes.count), mayHaveBody else {
            connection.mode = .ending
            return -1
        }
        if !wire.hasBacklog { wire.endOutput() }
        connection.mode = .draining
        connection.dropBudget = Self.drainBytes
        setDeadline(second + Self.drainSeconds, of: connection)
        return 0
    }
}

extension APIError {
    fileprivate static func bodyTooLarge(_ limit: Int) -> APIError {
        APIError(
            .invalidRequest,
            status: 413,
            code: "body_too_large",
            message: "The body may have \(limit) bytes."
        )
    }
}
