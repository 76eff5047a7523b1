/// Why a connection failed or was lost. Safe to print. A new connection may help, except where noted.
struct ConnectionError: Error, Sendable, Equatable, CustomStringConvertible {
    enum Code: Sendable, Equatable {
        case notResolved
        case notConnected
        case handshakeFailed
        /// The certificate is not trusted or belongs to another host. Only the operator or the peer can fix it.
        case untrusted
        /// The address is not public, and only public addresses are allowed.
        case forbiddenAddress
        /// The peer does not support HTTP/2.
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
