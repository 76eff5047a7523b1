/// An open stream of a session.
struct H2Stream: Hashable, Sendable {
    /// Where the session keeps it: a small number that another stream gets when this one is closed.
    let slot: Int
    /// In HTTP/2's terms: odd, and greater than those of all streams before it.
    let id: Int32
}

/// What came back on one stream.
struct H2Response: Sendable, Equatable {
    /// 0 until the headers of the final answer have come.
    var status = 0
    /// Those regular fields that the session was asked to keep, in lower case, at most `fieldLimit`.
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
    /// The stream is over, and its slot free. A response with a status counts, whatever the code says.
    case closed(H2Stream, code: UInt32, response: H2Response, wasSent: Bool)
    case pong(UInt64)
}

/// HTTP/2 error codes (RFC 9113 section 7) that this room tells apart.
enum H2ErrorCode {
    static let refusedStream: UInt32 = 7
    static let cancel: UInt32 = 8
}
