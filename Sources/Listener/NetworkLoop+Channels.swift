public import HTTPModel

extension NetworkLoop {
    /// Frames that leave together after a backlog.
    private static let pieceBytes = 64 * 1024

    /// Loop thread only. Sends the head, and what there is of the body; the response ends with its connection. nil: the
    /// client has gone, or asked by HEAD.
    public func openStream(_ exchange: ExchangeID, _ head: HTTPResponse) -> ChannelID? {
        guard let connection = exchanges[exchange], let lws = connection.lws,
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
        guard lws.write(bytes, count: bytes.count) else {
            end(connection, lws)
            return nil
        }
        let channel = Channel(id: ChannelID(rawValue: newID()), kind: .stream)
        connection.mode = .channel(channel)
        connection.reader = RequestReader()
        connection.dropBudget = Self.drainBytes
        channels[channel.id] = connection
        setDeadline(.max, of: connection)
        if lws.hasBacklog {
            channel.backlog.libraryHolds(bytes.count)
            awaitProgress(connection, lws)
        }
        return channel.id
    }

    /// Loop thread only. On a WebSocket whole frames, already framed. A channel that has nothing waiting always takes the
    /// bytes, whatever their size; where something waits and `maxPendingBytes` would be exceeded, the channel is closed
    /// with 4008 (too slow: connect again and resume), what waited is dropped, and the answer is `gone`.
    public func send(_ bytes: [UInt8], to id: ChannelID) -> SendOutcome {
        send(bytes, from: 0, to: id)
    }

    /// - Parameter start: so many bytes are with the kernel already; then the channel had nothing waiting.
    func send(_ bytes: [UInt8], from start: Int, to id: ChannelID) -> SendOutcome {
        guard let connection = channels[id], let lws = connection.lws, let channel = connection.channel,
            channel.closing == nil,
            !channel.isClosedByPeer
        else { return .gone }
        guard !bytes.isEmpty else { return channel.backlog.isEmpty ? .sent : .waiting(bytes: channel.backlog.count) }
        if channel.backlog.isEmpty {
            let count = bytes.count - start
            guard lws.write(bytes, from: start, count: count) else {
                channel.closing = (1006, "")
                channel.hasSaidClose = true
                lws.closeSoon()
                return .gone
            }
            guard lws.hasBacklog else { return .sent }
            channel.backlog.libraryHolds(count)
            awaitProgress(connection, lws)
            return .waiting(bytes: channel.backlog.count)
        }
        guard channel.backlog.count + bytes.count <= configuration.maxPendingBytes else {
            channel.backlog.dropQueue()
            close(id, code: 4008, reason: "too slow")
            return .gone
        }
        channel.backlog.append(bytes)
        return .waiting(bytes: channel.backlog.count)
    }

    /// The kernel takes more. The result is for the callback that is running.
    func writeable(_ connection: Connection, _ lws: LWSConnection) -> Int32 {
        limitReading(connection, lws)
        switch connection.mode {
        case .idle:
            return readRequests(connection, lws)
        case .reading, .waiting:
            return 0
        case .writing(let exchange):
            writeOn(exchange, connection, lws)
            return 0
        case .channel(let channel):
            return writeOn(channel, connection, lws) ? 0 : -1
        case .draining:
            if !lws.hasBacklog { lws.endOutput() }
            return 0
        case .flushing:
            return lws.hasBacklog ? 0 : -1
        case .ending:
            return -1
        }
    }

    /// False: the channel ends now.
    private func writeOn(_ channel: Channel, _ connection: Connection, _ lws: LWSConnection) -> Bool {
        guard !lws.hasBacklog else { return true }
        let hadWaiting = !channel.backlog.isEmpty
        while let piece = channel.backlog.next(limit: Self.pieceBytes) {
            guard lws.write(piece, count: piece.count) else { return false }
            guard !lws.hasBacklog else {
                channel.backlog.libraryHolds(piece.count)
                if channel.closing == nil { awaitProgress(connection, lws) }
                return true
            }
        }
        if channel.closing != nil {
            guard channel.kind == .socket, sayClose(channel, lws) else { return false }
            if !lws.hasBacklog { leave(channel, connection) }
            return true
        }
        setDeadline(.max, of: connection)
        if hadWaiting { handler.drained(channel.id, on: self) }
        return true
    }
}
