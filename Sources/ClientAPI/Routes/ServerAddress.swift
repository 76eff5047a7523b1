internal import HTTPModel

/// The server as the caller addressed it.
struct ServerAddress: Sendable, Equatable {
    /// Name and port. The listener has validated the name.
    let authority: String
    let isSecure: Bool
    /// Empty, or `/name`: the path below which a proxy publishes the server.
    let prefix: String

    /// - Parameter isSecure: whether the listeners use TLS. Behind a proxy that terminates TLS, the proxy says it, or
    ///   the page's `Origin` header shows how the page was loaded.
    init(_ request: HTTPRequest, isSecure: Bool) {
        authority = request.headers["host"] ?? "localhost"
        prefix = request.forwardedPrefix
        self.isSecure =
            request.isForwardedSecurely ?? isSecure
            || request.headers["origin"]?.lowercased() == "https://" + authority.lowercased()
    }

    var http: String { (isSecure ? "https://" : "http://") + authority + prefix }
    var webSocket: String { (isSecure ? "wss://" : "ws://") + authority + prefix + "/ws" }

    /// Whether only programs on the same machine can reach the server at this address.
    var isLoopback: Bool {
        ["localhost", "127.", "[::1]"].contains { authority.lowercased().hasPrefix($0) }
    }
}
