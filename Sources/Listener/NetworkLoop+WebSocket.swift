internal import HTTPModel

extension NetworkLoop {
    /// Handles a request for a WebSocket.
    func upgrade(
        _ head: RequestHead,
        _ address: ForwardedAddress,
        _ requestID: String,
        _ connection: Connection,
        _ lws: LWSConnection
    ) -> Int32 {
        if let error = gate.checkUpgrade(head, isLocal: connection.isLocal, address: address) {
            return refuse(error, requestID, connection, lws, mayHaveBody: head.mayHaveBody)
        }
        if isStopping { return refuse(Self.stopping, requestID, connection, lws, mayHaveBody: false) }
        let request = request(of: head, address, requestID, connection)
        switch handler.upgrade(request, on: self) {
        case .accept:
            let key = head[.webSocketKey] ?? ""
            let subprotocol = gate.subprotocol(for: head)
            let answer = WebSocketHandshake.response(key: key, subprotocol: subprotocol, requestID: requestID)
            guard lws.write(answer, count: answer.count) else { return -1 }
            return open(request, connection, lws)
        case .refuse(let response):
            return refuse(with: response, requestID, connection, lws, mayHaveBody: false)
        }
    }

    private func open(_ request: HTTPRequest, _ connection: Connection, _ lws: LWSConnection) -> Int32 {
        let channel = Channel(
            id: ChannelID(rawValue: newID()),
            kind: .socket,
            maximumMessage: configuration.maxMessageBytes
        )
        connection.mode = .channel(channel)
        channels[channel.id] = connection
        pings.add(channel.id, now: second)
        handler.opened(channel.id, request: request, on: self)
        // Frames may have arrived together with the request.
        let early = connection.reader.take(.max)
        return early.isEmpty ? 0 : framesArrived(early[...], channel, connection, lws)
    }

    func framesArrived(
        _ bytes: ArraySlice<UInt8>,
        _ channel: Channel,
        _ connection: Connection,
        _ lws: LWSConnection
    ) -> Int32 {
        pings.heard(channel.id, now: second)
        var rest = bytes
        do throws(FrameReader.Fault) {
            while channel.closing == nil, !channel.isClosedByPeer, let event = try channel.frames.next(&rest) {
                serve(event, channel, connection, lws)
            }
        } catch {
            close(channel.id, code: error.code, reason: error.reason)
            connection.closingFrames = nil
        }
        return channel.closing == nil || rest.isEmpty ? 0 : dropFrames(rest, connection)
    }

    private func serve(_ event: FrameReader.Event, _ channel: Channel, _ connection: Connection, _ lws: LWSConnection) {
        switch event {
        case .message(let bytes, let isText):
            handler.received(bytes, isText: isText, from: channel.id, on: self)
        case .ping(let payload):
            // If something waits already, the pong counts like any other frame.
            _ = send([0x8a, UInt8(payload.count)] + payload, to: channel.id)
        case .pong:
            break
        case .close(let code):
            peerClosed(code: code, channel, connection, lws)
        }
    }
}
