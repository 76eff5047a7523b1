extension NetworkLoop {
    /// Frames that leave together after a backlog.
    private static let pieceBytes = 64 * 1024

    /// Loop thread only. On a WebSocket `bytes` are whole frames; on a chunked stream they become one chunk.
    ///
    /// A channel that has nothing waiting accepts bytes of any size. If something waits and `maxPendingBytes` would be
    /// exceeded, the channel is closed with 4008 (too slow: the client may reconnect and resume), the waiting data is
    /// dropped, and the result is `gone`.
    public func send(_ bytes: [UInt8], to id: ChannelID) -> SendOutcome {
        send(bytes, from: 0, to: id)
    }

    /// - Parameter start: the number of bytes that the kernel already has. If it is above 0, the channel has nothing
    ///   waiting and is not chunked.
    func send(_ bytes: [UInt8], from start: Int, to id: ChannelID) -> SendOutcome {
        guard let connection = channels[id], let lws = connection.lws, let channel = connection.channel,
            channel.closing == nil, !channel.isClosedByPeer, !channel.isComplete
        else { return .gone }
        guard !bytes.isEmpty else { return channel.backlog.isEmpty ? .sent : .waiting(bytes: channel.backlog.count) }
        let bytes = channel.isChunked ? ChunkedBody.chunk(bytes) : bytes
        return transmit(bytes, from: start, channel, connection, lws)
    }

    /// Sends bytes unchanged.
    func transmit(
        _ bytes: [UInt8],
        from start: Int = 0,
        _ channel: Channel,
        _ connection: Connection,
        _ lws: LWSConnection
    ) -> SendOutcome {
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
            close(channel.id, code: 4008, reason: "too slow")
            return .gone
        }
        channel.backlog.append(bytes)
        return .waiting(bytes: channel.backlog.count)
    }

    /// The kernel accepts more bytes. The result is for the callback that is running.
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

    /// Returns false if the channel ends now.
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
            guard channel.isSocket, sayClose(channel, lws) else { return false }
            if !lws.hasBacklog { leave(channel, connection) }
            return true
        }
        setDeadline(.max, of: connection)
        if channel.isComplete {
            complete(channel, connection, lws)
        } else if hadWaiting {
            reportDrained(channel)
        }
        return true
    }
}
