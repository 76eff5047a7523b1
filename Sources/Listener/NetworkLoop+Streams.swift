public import HTTPModel

/// How a client finds the end of a streamed response.
public enum StreamFraming: Sendable {
    /// The response ends with the connection. For streams that never end by themselves, such as server-sent events:
    /// every reader gets the same bytes.
    case untilClose
    /// In chunks (RFC 9112 section 7.1): the client can distinguish a truncated response from a complete one, and the
    /// connection is kept. A client of HTTP/1.0 gets `untilClose`.
    case chunked
}

/// Responses that are sent in pieces.
extension NetworkLoop {
    /// Loop thread only. Sends the head and the available part of the body. `send` sends the rest. Returns nil if the
    /// client has gone, the request is a HEAD, or the loop is stopping.
    public func openStream(
        _ id: ExchangeID,
        _ response: HTTPResponse,
        framing: StreamFraming = .untilClose
    ) -> ChannelID? {
        guard let connection = exchanges[id], let lws = connection.lws, case .waiting(let exchange) = connection.mode
        else { return nil }
        let framing = exchange.oldClient ? .untilClose : framing
        if exchange.request.method == .head {
            respond(id, response, framing: .unknown)
            return nil
        }
        if isStopping {
            // A stream without an end may end at once, because the client reconnects. Any other response would be
            // incomplete.
            let refusal = Self.stopping.response(requestID: exchange.request.requestID)
            respond(id, framing == .untilClose ? response : refusal)
            return nil
        }
        exchanges[id] = nil
        exchange.wait = nil
        let isKept = framing == .chunked && !exchange.closesAfterwards
        let head = ResponseEncoder.head(
            of: response,
            framing: framing == .chunked ? .chunked : .untilClose,
            closes: !isKept,
            oldClient: exchange.oldClient,
            requestID: exchange.request.requestID
        )
        let body = framing == .chunked && !response.body.isEmpty ? ChunkedBody.chunk(response.body) : response.body
        guard lws.write(head + body, count: head.count + body.count) else {
            end(connection, lws)
            return nil
        }
        let channel = Channel(id: ChannelID(rawValue: newID()), kind: .stream(framing, keepsConnection: isKept))
        connection.mode = .channel(channel)
        if !isKept { connection.reader = RequestReader() }
        connection.dropBudget = Self.drainBytes
        channels[channel.id] = connection
        setDeadline(.max, of: connection)
        if lws.hasBacklog {
            channel.backlog.libraryHolds(head.count + body.count)
            awaitProgress(connection, lws)
        }
        return channel.id
    }

    /// Loop thread only. Ends a streamed response as complete, after everything that was sent on it. `closed` follows.
    /// To cut it off instead, use `close`.
    public func endStream(_ id: ChannelID) {
        guard let connection = channels[id], let lws = connection.lws, let channel = connection.channel,
            !channel.isSocket, channel.closing == nil, !channel.isComplete
        else { return }
        if channel.isChunked, transmit(ChunkedBody.end, channel, connection, lws) == .gone { return }
        channel.isComplete = true
        if channel.backlog.isEmpty { complete(channel, connection, lws) }
    }

    /// All of a streamed response has been sent.
    func complete(_ channel: Channel, _ connection: Connection, _ lws: LWSConnection) {
        channels[channel.id] = nil
        guard channel.keepsConnection, !isStopping || !connection.reader.isEmpty else {
            end(connection, lws)
            return reportClosed(channel)
        }
        connection.mode = .idle
        setDeadline(second + configuration.keepAliveSeconds, of: connection)
        reportClosed(channel)
        if readRequests(connection, lws) != 0 { lws.closeSoon() }
    }

    /// Starts the producer of a response that is given as a value.
    func start(_ stream: @escaping BodyStream, of exchange: ExchangeID, _ response: HTTPResponse) {
        guard let id = openStream(exchange, response, framing: .chunked), let channel = channels[id]?.channel else {
            return
        }
        let writer = StreamWriter(loop: self, channel: id)
        // Detached: the producer does not run on the loop's thread.
        channel.producer = Task.detached(executorPreference: configuration.taskExecutor) { [self] in
            do {
                try await stream(writer)
                post { $0.endStream(id) }
            } catch {
                post { $0.close(id, code: 1011, reason: "") }
            }
        }
    }

    /// Tells the user of a channel that it has taken all that was sent.
    func reportDrained(_ channel: Channel) {
        guard channel.producer != nil else { return handler.drained(channel.id, on: self) }
        channel.resumeWriters(.success(()))
    }

    /// Tells the user of a channel that it has ended.
    func reportClosed(_ channel: Channel) {
        guard let producer = channel.producer else { return handler.closed(channel.id, on: self) }
        producer.cancel()
        channel.resumeWriters(.failure(StreamEnded()))
    }

    fileprivate func write(_ bytes: [UInt8], to id: ChannelID, _ writer: StreamWriter.Continuation) {
        switch send(bytes, to: id) {
        case .sent: writer.resume(returning: .success(()))
        case .gone: writer.resume(returning: .failure(StreamEnded()))
        case .waiting:
            guard let channel = channels[id]?.channel else { return writer.resume(returning: .failure(StreamEnded())) }
            channel.writers.append(writer)
        }
    }
}

extension HTTPResponse {
    /// nil if there is no body or the whole body is present.
    var bodyStream: BodyStream? { ResponseEncoder.allowsBody(status) ? stream : nil }
}

/// Writes one streamed response from any task. The loop keeps what waits.
struct StreamWriter: BodyWriter {
    typealias Continuation = CheckedContinuation<Result<Void, StreamEnded>, Never>

    let loop: NetworkLoop
    let channel: ChannelID

    func write(_ bytes: [UInt8]) async throws(StreamEnded) {
        let result = await withCheckedContinuation { (continuation: Continuation) in
            loop.post { loop in loop.write(bytes, to: channel, continuation) }
        }
        try result.get()
    }
}
