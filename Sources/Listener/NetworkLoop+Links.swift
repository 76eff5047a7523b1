public import HTTPModel

extension NetworkLoop {
    /// Frames that leave together after a backlog.
    private static let pieceBytes = 64 * 1024

    /// Loop thread only. Sends the head, and what there is of the body; the response ends with its connection. nil: the
    /// client has gone, or asked by HEAD.
    public func openStream(_ exchange: ExchangeID, _ head: HTTPResponse) -> LinkID? {
        guard let connection = exchanges[exchange], let wire = connection.wire,
            case .waiting(let waiting) = connection.mode
        else { return nil }
        if waiting.request.method == .head || isStopping {
            respond(exchange, head)
            return nil
        }
        exchanges[exchange] = nil
        let bytes =
            ResponseEncoder.head(
                of: head,
                framing: .untilClose,
                closes: true,
                oldClient: waiting.oldClient,
                requestID: waiting.request.requestID
            ) + head.body
        guard wire.write(bytes, count: bytes.count) else {
            end(connection, wire)
            return nil
        }
        let link = Link(id: LinkID(rawValue: newID()), kind: .stream)
        connection.mode = .link(link)
        connection.reader = RequestReader()
        connection.dropBudget = Self.drainBytes
        links[link.id] = connection
        setDeadline(.max, of: connection)
        if wire.hasBacklog {
            link.backlog.libraryHolds(bytes.count)
            awaitProgress(connection, wire)
        }
        return link.id
    }

    /// Loop thread only. On a WebSocket whole frames, already framed. A link that has nothing waiting always takes the
    /// bytes, whatever their size; where something waits and `maxPendingBytes` would be exceeded, the link is closed
    /// with 4008 (too slow: connect again and resume), what waited is dropped, and the answer is `gone`.
    public func send(_ bytes: [UInt8], to id: LinkID) -> SendOutcome {
        send(bytes, from: 0, to: id)
    }

    /// - Parameter start: so many bytes are with the kernel already; then the link had nothing waiting.
    func send(_ bytes: [UInt8], from start: Int, to id: LinkID) -> SendOutcome {
        guard let connection = links[id], let wire = connection.wire, let link = connection.link, link.closing == nil,
            !link.isClosedByPeer
        else { return .gone }
        guard !bytes.isEmpty else { return link.backlog.isEmpty ? .sent : .waiting(bytes: link.backlog.count) }
        if link.backlog.isEmpty {
            let count = bytes.count - start
            guard wire.write(bytes, from: start, count: count) else {
                link.closing = (1006, "")
                link.hasSaidClose = true
                wire.closeSoon()
                return .gone
            }
            guard wire.hasBacklog else { return .sent }
            link.backlog.libraryHolds(count)
            awaitProgress(connection, wire)
            return .waiting(bytes: link.backlog.count)
        }
        guard link.backlog.count + bytes.count <= configuration.maxPendingBytes else {
            link.backlog.dropQueue()
            close(id, code: 4008, reason: "too slow")
            return .gone
        }
        link.backlog.append(bytes)
        return .waiting(bytes: link.backlog.count)
    }

    /// The kernel takes more. The result is for the callback that is running.
    func writeable(_ connection: Connection, _ wire: Wire) -> Int32 {
        limitReading(connection, wire)
        switch connection.mode {
        case .idle:
            return readRequests(connection, wire)
        case .reading, .waiting:
            return 0
        case .writing(let exchange):
            writeOn(exchange, connection, wire)
            return 0
        case .link(let link):
            return writeOn(link, connection, wire) ? 0 : -1
        case .draining:
            if !wire.hasBacklog { wire.endOutput() }
            return 0
        case .flushing:
            return wire.hasBacklog ? 0 : -1
        case .ending:
            return -1
        }
    }

    /// False: the link ends now.
    private func writeOn(_ link: Link, _ connection: Connection, _ wire: Wire) -> Bool {
        guard !wire.hasBacklog else { return true }
        let hadWaiting = !link.backlog.isEmpty
        while let piece = link.backlog.next(limit: Self.pieceBytes) {
            guard wire.write(piece, count: piece.count) else { return false }
            guard !wire.hasBacklog else {
                link.backlog.libraryHolds(piece.count)
                if link.closing == nil { awaitProgress(connection, wire) }
                return true
            }
        }
        if link.closing != nil {
            guard link.kind == .socket, sayClose(link, wire) else { return false }
            if !wire.hasBacklog { leave(link, connection) }
            return true
        }
        setDeadline(.max, of: connection)
        if hadWaiting { handler.drained(link.id, on: self) }
        return true
    }
}
