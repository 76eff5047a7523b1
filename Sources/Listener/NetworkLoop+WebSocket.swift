internal import HTTPModel

extension NetworkLoop {
    /// Asked once per request with an `Upgrade` header, before libwebsockets acts on it.
    func upgrade(_ reader: HeaderReader, _ connection: Connection, _ wire: Wire) -> Int32 {
        guard reader.hasUpgrade else { return -1 }
        let facts = reader.facts(isLocal: connection.isLocal)
        let requestID = identifiers.identifier(clients: reader.header(requestIDHeader))
        if let error = gate.checkUpgrade(facts) {
            return turnDown(error.response(requestID: requestID), requestID, connection, wire)
        }
        if isStopping {
            let error = APIError.unavailable("stopping", "The server is stopping.", retryAfter: 1)
            return turnDown(error.response(requestID: requestID), requestID, connection, wire)
        }
        let request = reader.request(
            passing: passedHeaders,
            requestID: requestID,
            peer: connection.peer
        )
        switch handler.upgrade(request, on: self) {
        case .accept:
            connection.mode = .upgrading(request)
            return 0
        case .refuse(let response):
            return turnDown(response, requestID, connection, wire)
        }
    }

    private func turnDown(_ response: HTTPResponse, _ id: String, _ connection: Connection, _ wire: Wire) -> Int32 {
        refuse(with: response, id, connection, wire, mayHaveBody: false)
    }

    func addHandshakeHeaders(_ headers: HandshakeHeaders, _ connection: Connection) -> Int32 {
        if case .upgrading(let request) = connection.mode { headers.add("x-request-id", request.requestID) }
        return 0
    }

    func opened(_ connection: Connection) -> Int32 {
        guard case .upgrading(let request) = connection.mode else { return -1 }
        let link = Link(id: LinkID(rawValue: newID()), kind: .socket)
        connection.mode = .link(link)
        setDeadline(.max, of: connection)
        links[link.id] = connection
        pings.add(link.id, now: second)
        handler.opened(link.id, request: request, on: self)
        return 0
    }

    /// A piece of a message.
    func messageArrived(_ bytes: BorrowedBytes, _ connection: Connection, _ wire: Wire) -> Int32 {
        if case .draining = connection.mode { return dropPiece(bytes, connection) }
        guard case .link(let link) = connection.mode, link.kind == .socket else { return -1 }
        pings.heard(link.id, now: second)
        guard link.closing == nil else { return dropPiece(bytes, connection) }
        guard !link.isClosedByPeer else { return 0 }
        let size = link.message.count + bytes.count
        guard size + wire.remainingPayload <= configuration.maxMessageBytes else {
            close(link.id, code: 1009, reason: "message too big")
            return 0
        }
        bytes.append(to: &link.message)
        guard wire.endsMessage else {
            if wire.endsFrame { link.isFragmented = true }
            return 0
        }
        messageEnded(link, wire)
        return 0
    }

    /// A ping may stand between the frames of a message. libwebsockets writes its pong when the socket is next
    /// writeable, and does not say that it owes one: so a message of several frames, and what comes behind it, is
    /// handed over after the library has had its turn. Whose answer has to wait for a backlog comes behind it anyway.
    private func messageEnded(_ link: Link, _ wire: Wire) {
        let message = (bytes: link.message, isText: !wire.isBinary)
        let waits = (link.isFragmented || !link.held.isEmpty) && link.backlog.isEmpty
        link.message = []
        link.isFragmented = false
        if waits, link.held.hold(message) {
            wire.askWriteable()
            return
        }
        handOver(link)
        if link.closing == nil { handler.received(message.bytes, isText: message.isText, from: link.id, on: self) }
    }

    /// In order; what is behind a close is passed over.
    func handOver(_ link: Link) {
        for message in link.held.takeAll() where link.closing == nil {
            handler.received(message.bytes, isText: message.isText, from: link.id, on: self)
        }
    }

    func pongArrived(_ connection: Connection) -> Int32 {
        if case .link(let link) = connection.mode { pings.heard(link.id, now: second) }
        return 0
    }

    /// Not an empty ping: libwebsockets says nothing of an empty pong. Behind a backlog it waits for its turn.
}
