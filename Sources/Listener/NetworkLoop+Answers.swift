public import HTTPModel

/// Answers to requests.
extension NetworkLoop {
    /// Maximum bytes that one write passes to the library, which copies what the kernel does not accept.
    static let transmitBytes = 256 * 1024
    /// A body up to this size is sent together with its head, and an answer up to this size together with other
    /// answers.
    private static let joinedBytes = 32 * 1024
    private static let flushSeconds = 5

    /// Loop thread only. The answer to a client that has gone is dropped.
    public func respond(_ exchange: ExchangeID, _ response: HTTPResponse) {
        if let stream = response.bodyStream { return start(stream, of: exchange, response) }
        respond(exchange, response, framing: .length(response.body.count))
    }

    func respond(_ exchange: ExchangeID, _ response: HTTPResponse, framing: ResponseEncoder.Framing) {
        guard let (connection, exchange) = prepare(response, framing, to: exchange), let lws = connection.lws else {
            return
        }
        writeOn(exchange, connection, lws)
    }

    /// Calls `respond` for each answer. All are prepared first, and the small ones are then sent with one call, so that
    /// a client that waits for several is usually woken once.
    public func respond(_ answers: [(exchange: ExchangeID, response: HTTPResponse)]) {
        var ready: [(connection: Connection, exchange: Exchange)] = []
        ready.reserveCapacity(answers.count)
        for answer in answers {
            let framing = ResponseEncoder.Framing.length(answer.response.body.count)
            if let stream = answer.response.bodyStream {
                start(stream, of: answer.exchange, answer.response)
            } else if let prepared = prepare(answer.response, framing, to: answer.exchange) {
                ready.append(prepared)
            }
        }
        offerTogether(ready)
        for (connection, exchange) in ready {
            guard let lws = connection.lws, case .writing(let written) = connection.mode, written === exchange else {
                continue
            }
            writeOn(exchange, connection, lws)
        }
    }

    private func offerTogether(_ ready: [(connection: Connection, exchange: Exchange)]) {
        var exchanges: [Exchange] = []
        var sockets: [LWSConnection.Socket] = []
        for (connection, exchange) in ready where exchange.output.count <= Self.joinedBytes {
            guard let socket = connection.lws?.socket else { continue }
            exchanges.append(exchange)
            sockets.append(socket)
        }
        let taken = sender.send(exchanges.map(\.output), to: sockets)
        for (exchange, taken) in zip(exchanges, taken) { exchange.written = taken }
    }

    /// Returns nil if the client has gone or the request is already answered.
    private func prepare(
        _ response: HTTPResponse,
        _ framing: ResponseEncoder.Framing,
        to id: ExchangeID
    ) -> (connection: Connection, exchange: Exchange)? {
        guard let connection = exchanges.removeValue(forKey: id), let lws = connection.lws,
            case .waiting(let exchange) = connection.mode
        else { return nil }
        exchange.wait = nil
        if isStopping { exchange.closesAfterwards = true }
        var head = ResponseEncoder.head(
            of: response,
            framing: framing,
            closes: exchange.closesAfterwards,
            oldClient: exchange.oldClient,
            requestID: exchange.request.requestID
        )
        let hasBody = exchange.request.method != .head && ResponseEncoder.allowsBody(response.status)
        if hasBody, response.body.count <= Self.joinedBytes {
            head += response.body
            exchange.output = head
        } else if hasBody {
            exchange.output = response.body
            guard lws.write(head, count: head.count) else {
                end(connection, lws)
                return nil
            }
        } else {
            exchange.output = head
        }
        connection.mode = .writing(exchange)
        return (connection, exchange)
    }

    /// Writes as much as the kernel accepts. The rest waits for "writeable".
    func writeOn(_ exchange: Exchange, _ connection: Connection, _ lws: LWSConnection) {
        let turnEnd = exchange.written + 8 * Self.transmitBytes
        while exchange.written < exchange.output.count, !lws.hasBacklog {
            guard exchange.written < turnEnd else {
                lws.askWriteable()
                break
            }
            let count = min(Self.transmitBytes, exchange.output.count - exchange.written)
            guard lws.write(exchange.output, from: exchange.written, count: count) else {
                return end(connection, lws)
            }
            exchange.written += count
        }
        guard exchange.written == exchange.output.count, !lws.hasBacklog else {
            setDeadline(second + configuration.stallSeconds, of: connection)
            limitReading(connection, lws)
            return
        }
        finish(exchange, connection, lws)
    }

    private func finish(_ exchange: Exchange, _ connection: Connection, _ lws: LWSConnection) {
        guard !exchange.closesAfterwards, !isStopping || !connection.reader.isEmpty else {
            return end(connection, lws)
        }
        connection.mode = .idle
        setDeadline(second + configuration.keepAliveSeconds, of: connection)
        // The client may have sent its next request already.
        if readRequests(connection, lws) != 0 { lws.closeSoon() }
    }

    /// Ends a connection when everything is written. The library has `flushSeconds` to send what it still holds. Not
    /// for a channel.
    func end(_ connection: Connection, _ lws: LWSConnection) {
        if case .waiting(let exchange) = connection.mode { exchanges[exchange.id] = nil }
        connection.reader = RequestReader()
        guard !lws.hasBacklog else {
            connection.mode = .flushing
            setDeadline(second + Self.flushSeconds, of: connection)
            return limitReading(connection, lws)
        }
        connection.mode = .ending
        if current != connection.id {
            lws.endOutput()
            lws.closeSoon()
        }
    }
}
