internal import HTTPModel

/// Bodies of requests, which arrive in pieces.
extension NetworkLoop {
    /// Reads the part of a body that came together with its head, and waits for the rest.
    func readBody(_ exchange: Exchange, _ connection: Connection, _ lws: LWSConnection) -> Int32 {
        connection.mode = .reading(exchange)
        let piece = connection.reader.take(exchange.framing.body.announcedLength ?? .max)
        if exchange.framing.expectsContinue, piece.isEmpty {
            let line = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
            guard lws.write(line, count: line.count) else { return -1 }
        }
        let result =
            switch exchange.framing.body {
            case .length: bodyArrived(piece, exchange, connection, lws)
            case .chunked: chunksArrived(piece[...], exchange, connection, lws)
            }
        if case .reading = connection.mode {
            setDeadline(exchange.startedAt + configuration.bodySeconds, of: connection)
        }
        return result
    }

    func bodyArrived(
        _ bytes: BorrowedBytes,
        _ exchange: Exchange,
        _ connection: Connection,
        _ lws: LWSConnection
    ) -> Int32 {
        if exchange.chunks != nil {
            let result = chunksArrived(bytes.copy, exchange, connection, lws)
            return result == 0 ? readRequests(connection, lws) : result
        }
        let count = min(bytes.count, exchange.missingBytes)
        guard makeRoom(for: count, exchange) else { return refuseBody(exchange, connection, lws) }
        bytes.append(to: &exchange.request.body, count: count)
        if count < bytes.count { connection.reader.append(bytes, from: count) }
        guard exchange.missingBytes == 0 else { return 0 }
        let result = dispatch(exchange, connection, lws)
        return result == 0 ? readRequests(connection, lws) : result
    }

    /// Handles the part of a body that came together with its head.
    private func bodyArrived(
        _ piece: [UInt8],
        _ exchange: Exchange,
        _ connection: Connection,
        _ lws: LWSConnection
    ) -> Int32 {
        guard !piece.isEmpty else { return 0 }
        guard makeRoom(for: piece.count, exchange) else { return refuseBody(exchange, connection, lws) }
        exchange.request.body = piece
        return exchange.missingBytes == 0 ? dispatch(exchange, connection, lws) : 0
    }

    /// Reads as much of a chunked body as has arrived. What follows the body stays for the next request.
    private func chunksArrived(
        _ bytes: ArraySlice<UInt8>,
        _ exchange: Exchange,
        _ connection: Connection,
        _ lws: LWSConnection
    ) -> Int32 {
        do throws(ChunkReader.Fault) {
            guard let piece = try exchange.chunks?.read(bytes) else { return 0 }
            guard makeRoom(for: piece.data.count, exchange) else { return refuseBody(exchange, connection, lws) }
            exchange.request.body += piece.data
            guard piece.isComplete else { return 0 }
            connection.reader.append(bytes.dropFirst(piece.used))
            return dispatch(exchange, connection, lws)
        } catch {
            return refuse(error.error, exchange.request.requestID, connection, lws, mayHaveBody: true)
        }
    }

    /// Reserves the body's part of the budget as the body arrives. An announced length alone reserves nothing.
    private func makeRoom(for count: Int, _ exchange: Exchange) -> Bool {
        if let lease = exchange.bodyLease { return lease.grow(by: count) }
        exchange.bodyLease = bodies.lease(count, for: exchange.bodySender)
        return exchange.bodyLease != nil
    }

    private func refuseBody(_ exchange: Exchange, _ connection: Connection, _ lws: LWSConnection) -> Int32 {
        let error = APIError.unavailable("busy", "Too many bodies are under way.", retryAfter: 1)
        return refuse(error, exchange.request.requestID, connection, lws, mayHaveBody: true)
    }
}
