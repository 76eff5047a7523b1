internal import HTTPModel

/// Requests. `RequestReader` alone decides where a request begins and ends.
extension NetworkLoop {
    /// Maximum bytes of an unwanted body that are read and dropped, so that the client reads the answer before the end.
    static let drainBytes = 512 * 1024
    static let drainSeconds = 2
    /// Number of requests of one connection that are handled before other connections get their turn.
    private static let requestsPerTurn = 32

    /// Handles input. The result is for the callback that is running.
    func received(_ bytes: BorrowedBytes, _ connection: Connection, _ lws: LWSConnection) -> Int32 {
        if !connection.hasHandshakeEnded {
            connection.hasHandshakeEnded = true
            lws.stopTimeout()
        }
        switch connection.mode {
        case .idle:
            connection.reader.append(bytes)
            return readRequests(connection, lws)
        case .reading(let exchange):
            return bodyArrived(bytes, exchange, connection, lws)
        case .waiting, .writing:
            connection.reader.append(bytes)
            limitReading(connection, lws)
            return 0
        case .channel(let channel) where channel.isSocket && channel.closing == nil:
            return framesArrived(bytes.copy, channel, connection, lws)
        case .channel(let channel) where channel.keepsConnection:
            connection.reader.append(bytes)
            limitReading(connection, lws)
            return 0
        case .channel(let channel) where !channel.isSocket:
            return drop(bytes.count, connection)
        case .channel, .draining:
            return dropFrames(bytes.copy, connection)
        case .flushing:
            return 0
        case .ending:
            return -1
        }
    }

    /// Handles the requests that have arrived, each after the previous one was answered.
    func readRequests(_ connection: Connection, _ lws: LWSConnection) -> Int32 {
        guard !connection.isReadingRequests else { return 0 }
        connection.isReadingRequests = true
        defer {
            connection.isReadingRequests = false
            limitReading(connection, lws)
        }
        var handled = 0
        while case .idle = connection.mode, !connection.reader.isEmpty {
            guard handled < Self.requestsPerTurn else {
                lws.askWriteable()
                return 0
            }
            handled += 1
            do throws(HeadFault) {
                guard let head = try connection.reader.nextHead(headParser, limit: configuration.maxHeaderBytes) else {
                    awaitHead(connection, lws)
                    return 0
                }
                let result = begin(head, connection, lws)
                guard result == 0 else { return result }
            } catch {
                return refuse(error.error, identifiers.identifier(clients: nil), connection, lws, mayHaveBody: true)
            }
        }
        return 0
    }

    /// A head has begun. It must be complete within `headerSeconds`.
    private func awaitHead(_ connection: Connection, _ lws: LWSConnection) {
        guard !connection.hasHeadDeadline else { return }
        connection.hasHeadDeadline = true
        setDeadline(second + configuration.headerSeconds, of: connection)
    }

    /// A request's head is complete.
    private func begin(_ head: RequestHead, _ connection: Connection, _ lws: LWSConnection) -> Int32 {
        connection.hasHeadDeadline = false
        setDeadline(.max, of: connection)
        let requestID = identifiers.identifier(clients: head[.requestID])
        let address = ForwardedAddress(head, isProxy: connection.source.isProxy, names: gate.names)
        if RequestGate.asksForWebSocket(head) { return upgrade(head, address, requestID, connection, lws) }
        let framing: RequestFraming
        let isFollowed = !connection.reader.isEmpty
        switch gate.check(head, isLocal: connection.isLocal, isFollowed: isFollowed, address: address) {
        case .failure(let error):
            let mayHaveBody = head.mayHaveBody || isFollowed
            return refuse(error, requestID, connection, lws, mayHaveBody: mayHaveBody, isHead: head.method == .head)
        case .success(let granted):
            framing = granted
        }
        if isStopping {
            return refuse(Self.stopping, requestID, connection, lws, mayHaveBody: !framing.body.isEmpty)
        }
        let exchange = Exchange(
            id: ExchangeID(rawValue: newID()),
            request: request(of: head, address, requestID, connection),
            framing: framing,
            oldClient: head.version == .http10,
            startedAt: second
        )
        return admit(exchange, connection, lws)
    }

    /// Returns the request without its body.
    func request(
        of head: RequestHead,
        _ address: ForwardedAddress,
        _ requestID: String,
        _ connection: Connection
    ) -> HTTPRequest {
        var request = head.request(headParser.table, requestID: requestID, peer: peer(of: connection, head))
        request.isForwardedSecurely = address.isSecure
        request.forwardedPrefix = address.prefix
        if let host = address.host { request.headers["host"] = host }
        request.readableOrigin = gate.readableOrigin(head, isLocal: connection.isLocal, address: address)
        return request
    }

    private func admit(_ exchange: Exchange, _ connection: Connection, _ lws: LWSConnection) -> Int32 {
        let framing = exchange.framing.body
        let length = framing.announcedLength
        let id = exchange.request.requestID
        let isHead = exchange.request.method == .head
        switch handler.admit(exchange.request, bodyLength: length, on: self) {
        case .refuse(let response) where !framing.isEmpty:
            return refuse(with: response, id, connection, lws, mayHaveBody: true, isHead: isHead)
        case .refuse(let response):
            connection.mode = .waiting(exchange)
            exchanges[exchange.id] = connection
            respond(exchange.id, response)
            return 0
        case .read(let limit, _, _) where length ?? 0 > limit:
            return refuse(.bodyTooLarge(limit), id, connection, lws, mayHaveBody: true, isHead: isHead)
        case .read(let limit, let sender, let note):
            if framing == .chunked { exchange.chunks = ChunkReader(limit: limit) }
            exchange.request.admission = note
            exchange.bodySender = sender ?? .anonymous(peer: exchange.request.peerAddress)
        }
        guard !framing.isEmpty else { return dispatch(exchange, connection, lws) }
        return readBody(exchange, connection, lws)
    }

    func dispatch(_ exchange: Exchange, _ connection: Connection, _ lws: LWSConnection) -> Int32 {
        connection.mode = .waiting(exchange)
        setDeadline(second + configuration.answerSeconds, of: connection)
        exchanges[exchange.id] = connection
        let request = exchange.request
        exchange.request.body = []
        exchange.bodyLease = nil
        handler.handle(request, exchange: exchange.id, on: self)
        return 0
    }
}
