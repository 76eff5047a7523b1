internal import HTTPModel

/// The server as the caller addressed it.
struct ServerAddress: Sendable, Equatable {
    /// Name and port; the listener has checked the name.
    let authority: String
    let isSecure: Bool

    /// - Parameter isSecure: whether the listeners speak TLS. Where a proxy speaks it instead of them, a page tells in
    ///   `Origin` how it was loaded.
    init(_ request: HTTPRequest, isSecure: Bool) {
        authority = request.headers["host"] ?? "localhost"
        self.isSecure = isSecure || request.headers["origin"]?.lowercased() == "https://" + authority.lowercased()
    }

    var http: String { (isSecure ? "https://" : "http://") + authority }
    var webSocket: String { (isSecure ? "wss://" : "ws://") + authority + "/ws" }

    /// Whether only programs on the same machine reach it so.
    var isLoopback: Bool {
        ["localhost", "127.", "[::1]"].contains { authority.lowercased().hasPrefix($0) }
    }
}
