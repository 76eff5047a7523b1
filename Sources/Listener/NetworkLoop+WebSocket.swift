internal import HTTPModel

extension NetworkLoop {
    /// A request for a WebSocket.
    func upgrade(_ head: RequestHead, _ requestID: String, _ connection: Connection, _ wire: Wire) -> Int32 {
        if let error = gate.checkUpgrade(head, isLocal: connection.isLocal) {
            return refuse(error, requestID, connection, wire, mayHaveBody: head.mayHaveBody)
        }
        if isStopping { return refuse(Self.stopping, requestID, connection, wire, mayHaveBody: false) }
        let request = request(of: head, requestID, connection)
        switch handler.upgrade(request, on: self) {
        case .accept:
            let key = head[.webSocketKey] ?? ""
            let subprotocol = gate.subprotocol(for: head)
            let answer = WebSocketHandshake.response(key: key, subprotocol: subprotocol, requestID: requestID)
            guard wire.write(answer, count: answer.count) else { return -1 }
            return open(request, connection, wire)
        case .refuse(let response):
            return refuse(with: response, requestID, connection, wire, mayHaveBody: false)
        }
    }

    private func open(_ request: HTTPRequest, _ connection: Connection, _ wire: Wire) -> Int32 {
        let link = Link(
            id: LinkID(rawValue: newID()),
            kind: .socket,
            maximumMessage: configuration.maxMessageBytes
        )
        connection.mode = .link(link)
        links[link.id] = connection
        pings.add(link.id, now: second)
        handler.opened(link.id, request: request, on: self)
        // Frames may have come right behind the request.
        let early = connection.reader.take(.max)
        return early.isEmpty ? 0 : framesArrived(early[...], link, connection, wire)
    }

    func framesArrived(
        _ bytes: ArraySlice<UInt8>,
        _ link: Link,
        _ connection: Connection,
        _ wire: Wire
    ) -> Int32 {
        pings.heard(link.id, now: second)
        var rest = bytes
        do throws(FrameReader.Fault) {
            while link.closing == nil, !link.isClosedByPeer, let event = try link.frames.next(&rest) {
                serve(event, link, connection, wire)
            }
        } catch {
            close(link.id, code: error.code, reason: error.reason)
            connection.closingFrames = nil
        }
        return link.closing == nil || rest.isEmpty ? 0 : dropFrames(rest, connection)
    }

    private func serve(_ event: FrameReader.Event, _ link: Link, _ connection: Connection, _ wire: Wire) {
        switch event {
        case .message(let bytes, let isText):
            handler.received(bytes, isText: isText, from: link.id, on: self)
        case .ping(let payload):
            // Behind a backlog it counts like any other frame that waits.
            _ = send([0x8a, UInt8(payload.count)] + payload, to: link.id)
        case .pong:
            break
        case .close(let code):
            peerClosed(code: code, link, connection, wire)
        }
    }
}
