internal import HTTPModel

/// The server as the caller addressed it.
struct ServerAddress: Sendable, Equatable {
    /// Name and port. The listener has validated the name.
    let authority: String
    let isSecure: Bool

    /// - Parameter isSecure: whether the listeners use TLS. Behind a proxy that terminates TLS, the page's `Origin`
    ///   header shows how it was loaded.
    init(_ request: HTTPRequest, isSecure: Bool) {
        authority = request.headers["host"] ?? "localhost"
        self.isSecure = isSecure || request.headers["origin"]?.lowercased() == "https://" + authority.lowercased()
    }

    var http: String { (isSecure ? "https://" : "http://") + authority }
    var webSocket: String { (isSecure ? "wss://" : "ws://") + authority + "/ws" }

    /// Whether only programs on the same machine can reach the server at this address.
    var isLoopback: Bool {
        ["localhost", "127.", "[::1]"].contains { authority.lowercased().hasPrefix($0) }
    }
}
