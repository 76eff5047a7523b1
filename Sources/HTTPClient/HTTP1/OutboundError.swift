/// Why there is no response, or not a whole one. Safe to print: it has no text of the other server.
package enum OutboundError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A retry may help unless its code says otherwise.
    case connection(ConnectionError)
    /// The server redirects to another origin, or too often. Only its operator can fix that.
    case redirected
    /// The response is not HTTP/1.1 or is truncated. A retry may help.
    case malformed
    /// The body has more bytes than the limit. A retry does not help.
    case tooLarge(limit: Int)
    /// A retry may help.
    case timedOut
    case cancelled
    /// Too many exchanges wait for servers. A retry helps later.
    case busy

    package var description: String {
        switch self {
        case .connection(let error): error.detail
        case .redirected: "the server redirects to another place"
        case .malformed: "the answer is not a whole one of HTTP/1.1"
        case .tooLarge(let limit): "the answer has more than \(limit) bytes"
        case .timedOut: "no whole answer in time"
        case .cancelled: "the request was cancelled"
        case .busy: "too many requests to other servers wait"
        }
    }
}
