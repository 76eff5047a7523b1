/// A message to subscribers that is no event of the log, so that it does not move a client's cursor.
public struct StreamNotice: Sendable {
    /// The method of the JSON-RPC notification.
    public var method: String
    /// The event name on streams of server-sent events.
    public var event: String
    /// One JSON object, without line breaks.
    public var json: [UInt8]
    /// Whole frames that follow on sockets of one session.
    public var sessionFrames: [UInt8] = []

    public init(method: String, event: String, json: [UInt8]) {
        (self.method, self.event, self.json) = (method, event, json)
    }

    public func bytes(for transport: Transport) -> [UInt8] {
        switch transport {
        case .jsonRPC, .dialect, .dialectAlone:
            let opening = Array(#"{"jsonrpc":"2.0","method":"\#(method)","params":"#.utf8)
            return WebSocketFrame.text(opening + json + [UInt8(ascii: "}")])
        case .plainWebSocket: return WebSocketFrame.text(json) + sessionFrames
        case .serverSentEvents: return Array("event: \(event)\ndata: ".utf8) + json + Array("\n\n".utf8)
        }
    }
}
