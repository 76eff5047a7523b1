/// Why a connection could not be made or was lost. Safe to print. A new connection may help, save where it says so.
struct ConnectionError: Error, Sendable, Equatable, CustomStringConvertible {
    enum Code: Sendable, Equatable {
        case notResolved
        case notConnected
        case handshakeFailed
        /// The certificate is not trusted, or is another host's: only the operator or the far end can mend it.
        case untrusted
        /// The address is not of the public internet, and only such are connected to.
        case forbiddenAddress
        /// The far end does not speak HTTP/2.
        case noHTTP2
        case protocolViolation
        case closedByPeer
        case timedOut
        case outOfMemory
    }

    let code: Code
    let detail: String

    init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    var description: String { detail }
}
