/// An open stream of a session.
package struct H2Stream: Hashable, Sendable {
    /// The session's index of the stream: a small number that is reused after the stream is closed.
    package let slot: Int
    /// The HTTP/2 stream id: odd, and greater than those of all earlier streams.
    let id: Int32
}

/// The response on one stream.
package struct H2Response: Sendable, Equatable {
    /// 0 until the headers of the final response have arrived.
    package var status = 0
    /// The regular fields that the session keeps, in lower case, at most `fieldLimit`.
    package var fields: [(name: String, value: String)] = []
    /// At most `bodyLimit` bytes; the rest is dropped.
    package var body: [UInt8] = []

    static let bodyLimit = 4096
    static let fieldLimit = 32

    package init() {}

    init(status: Int) { self.status = status }

    package subscript(name: String) -> String? { fields.first { $0.name == name }?.value }

    package static func == (left: H2Response, right: H2Response) -> Bool {
        left.status == right.status && left.body == right.body
            && left.fields.elementsEqual(right.fields) { $0 == $1 }
    }
}

package enum H2Event: Equatable {
    /// The peer's limit on this side's streams. About `UInt32.max` if the peer does not set one.
    case settings(maxConcurrentStreams: UInt32)
    case goAway(lastStreamID: Int32, code: UInt32, debugText: String)
    /// The stream has ended and its slot is free. A response with a status is valid, whatever the code.
    case closed(H2Stream, code: UInt32, response: H2Response, wasSent: Bool)
    case pong(UInt64)
}

/// The HTTP/2 error codes (RFC 9113 section 7) that this module distinguishes.
package enum H2ErrorCode {
    package static let refusedStream: UInt32 = 7
    static let cancel: UInt32 = 8
}
