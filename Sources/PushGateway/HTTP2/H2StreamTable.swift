/// What nghttp2's callbacks write to: the open streams and the events since they were last taken. Belongs to one
/// `H2Session` and its thread.
final class H2StreamTable {
    struct Stream {
        let body: [UInt8]
        var bodyOffset = 0
        /// The request's headers were handed to the connection: from then on the peer may have seen them.
        var wasSent = false
        var response = H2Response()
        /// The fields of an interim answer (1xx) are dropped when the next ones begin.
        var isFinal = false
    }

    private(set) var events: [H2Event] = []
    private(set) var streams: [Int32: Stream] = [:]

    func takeEvents() -> [H2Event] {
        defer { events.removeAll(keepingCapacity: true) }
        return events
    }

    func opened(_ id: Int32, body: [UInt8]) { streams[id] = Stream(body: body) }

    func sentHeaders(_ id: Int32) { streams[id]?.wasSent = true }

    func append(_ event: H2Event) { events.append(event) }

    /// Copies the next bytes of the request's body.
    func nextBody(_ id: Int32, into space: UnsafeMutableBufferPointer<UInt8>) -> (count: Int, isEnd: Bool)? {
        guard let stream = streams[id] else { return nil }
        let rest = stream.body[stream.bodyOffset...].prefix(space.count)
        _ = unsafe space.update(fromContentsOf: rest)
        streams[id]?.bodyOffset += rest.count
        return (rest.count, stream.bodyOffset + rest.count == stream.body.count)
    }

    func received(_ id: Int32, name: String, value: String) {
        guard streams[id] != nil else { return }
        if name == ":status" {
            let status = Int(value) ?? 0
            streams[id]?.response = H2Response()
            streams[id]?.isFinal = status >= 200
            if status >= 200 { streams[id]?.response.status = status }
        } else if streams[id]?.isFinal == true, (streams[id]?.response.fields.count ?? 0) < H2Response.fieldLimit {
            streams[id]?.response.fields.append((name, value))
        }
    }

    func received(_ id: Int32, body bytes: UnsafeBufferPointer<UInt8>) {
        guard let room = streams[id].map({ H2Response.bodyLimit - $0.response.body.count }), room > 0 else { return }
        unsafe streams[id]?.response.body.append(contentsOf: bytes.prefix(room))
    }

    func closed(_ id: Int32, code: UInt32) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        events.append(.closed(stream: id, code: code, response: stream.response, wasSent: stream.wasSent))
    }

    /// The connection is gone: ends every stream, oldest first.
    func abandonAll(code: UInt32) {
        for id in streams.keys.sorted() { closed(id, code: code) }
    }
}
