/// Why a connection failed or was lost. Safe to print. A new connection may help, except where noted.
package struct ConnectionError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
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

    package let code: Code
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    package var description: String { detail }
}
