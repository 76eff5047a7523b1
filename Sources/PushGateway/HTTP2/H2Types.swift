/// A header field of a request. Pseudo-header fields come first.
struct H2Header: Sendable, Equatable {
    var name: String
    var value: String
    /// False keeps it out of HPACK's table (RFC 7541 section 6.2.3).
    var isIndexed = true
}

/// What came back on one stream.
struct H2Response: Sendable, Equatable {
    /// 0 until the headers of the final answer have come.
    var status = 0
    /// The regular fields, in lower case, at most `fieldLimit`.
    var fields: [(name: String, value: String)] = []
    /// At most `bodyLimit` bytes; the rest is dropped.
    var body: [UInt8] = []

    static let bodyLimit = 4096
    static let fieldLimit = 32

    subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    static func == (left: H2Response, right: H2Response) -> Bool {
        left.status == right.status && left.body == right.body
            && left.fields.elementsEqual(right.fields) { $0 == $1 }
    }
}

enum H2Event: Equatable {
    /// The peer's limit on streams of ours; `UInt32.max` or so when it names none.
    case settings(maxConcurrentStreams: UInt32)
    case goAway(lastStreamID: Int32, code: UInt32, debugText: String)
    /// The stream is over. A response with a status counts, whatever the code says.
    case closed(stream: Int32, code: UInt32, response: H2Response, wasSent: Bool)
    case pong(UInt64)
}

/// HTTP/2 error codes (RFC 9113 section 7) that this room tells apart.
enum H2ErrorCode {
    static let refusedStream: UInt32 = 7
    static let cancel: UInt32 = 8
}
