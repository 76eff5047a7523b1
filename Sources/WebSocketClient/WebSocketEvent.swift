/// What happens to a connection. Exactly one `ended` comes, and it comes last.
package enum WebSocketEvent: Sendable, Equatable {
    case opened
    /// A whole text message.
    case text([UInt8])
    case ended(WebSocketEnd)
}

package enum WebSocketEnd: Sendable, Equatable, CustomStringConvertible {
    /// The connection could not be made. The reason is of the library and contains no secret.
    case failed(reason: String)
    /// The server answered the handshake with another status than 101.
    case refused(status: Int)
    /// No file with certificates to verify the server with was found.
    case noCertificates
    /// The server closed the connection with this code of RFC 6455 section 7.4, or without one.
    case closed(code: Int?, reason: String)
    /// The connection broke, or nothing was heard of the server for too long.
    case lost
    /// The server sent what this end does not take.
    case violated(reason: String)
    /// This end closed the connection.
    case finished

    package var description: String {
        switch self {
        case .failed(let reason): "no connection: \(reason)"
        case .refused(let status): "the server answered \(status)"
        case .noCertificates: "this machine has no file of certificates; name one with --ca-file"
        case .closed(let code, let reason):
            "the server closed the connection" + (code.map { " (\($0))" } ?? "")
                + (reason.isEmpty ? "" : ": \(reason)")
        case .lost: "the connection broke"
        case .violated(let reason): "the server sent \(reason)"
        case .finished: "the connection is closed"
        }
    }
}

package enum WebSocketLimits {
    /// Bytes of one text message, in each direction.
    package static let message = 1 << 20
    /// Bytes that wait to be sent.
    package static let queue = 8 << 20
}
