internal import CLibwebsockets

/// The answer to an upgrade (RFC 6455 section 4.2.2).
enum WebSocketHandshake {
    /// `key` is the client's, checked by `RequestGate`. `subprotocol` is one that the client offered.
    static func response(key: String, subprotocol: String?, requestID: String) -> [UInt8] {
        var head = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        head += "Sec-WebSocket-Accept: \(accept(key))\r\n"
        if let subprotocol { head += "Sec-WebSocket-Protocol: \(subprotocol)\r\n" }
        head += "X-Request-Id: \(requestID)\r\n\r\n"
        return Array(head.utf8)
    }

    /// base64(SHA-1(key + GUID)).
    static func accept(_ key: String) -> String {
        let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        var digest = [UInt8](repeating: 0, count: 20)
        _ = unsafe lws_SHA1(text, text.count, &digest)
        return base64(digest)
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        // See `Quirk.base64WantsMoreRoom`.
        var out = [CChar](repeating: 0, count: 4 * ((bytes.count + 2) / 3) + 2)
        let count = unsafe bytes.withUnsafeBufferPointer { bytes in
            let input = unsafe UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self)
            return unsafe lws_b64_encode_string(input, Int32(bytes.count), &out, Int32(out.count))
        }
        return String(decoding: out.prefix(max(0, Int(count))).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
