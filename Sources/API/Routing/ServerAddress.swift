package import HTTPModel

/// The server as the caller addressed it.
package struct ServerAddress: Sendable, Equatable {
    /// Name and port. The listener has validated the name.
    package let authority: String
    package let isSecure: Bool
    /// Only a page that was loaded over TLS shows that the address is secure: a request without `Origin` does not.
    package let isShownByPage: Bool
    /// Empty, or `/name`: the path below which a proxy publishes the server.
    package let prefix: String

    /// - Parameter isSecure: whether the listeners use TLS. Behind a proxy that terminates TLS, the proxy says it, or
    ///   the page's `Origin` header shows how the page was loaded.
    package init(_ request: HTTPRequest, isSecure: Bool) {
        authority = request.headers["host"] ?? "localhost"
        prefix = request.forwardedPrefix
        let isKnown = request.isForwardedSecurely ?? isSecure
        isShownByPage = !isKnown && request.headers["origin"]?.lowercased() == "https://" + authority.lowercased()
        self.isSecure = isKnown || isShownByPage
    }

    package var http: String { (isSecure ? "https://" : "http://") + authority + prefix }
    package var webSocket: String { (isSecure ? "wss://" : "ws://") + authority + prefix + "/ws" }

    /// Whether only programs on the same machine can reach the server at this address.
    package var isLoopback: Bool {
        ["localhost", "127.", "[::1]"].contains { authority.lowercased().hasPrefix($0) }
    }

    /// The port that cdev's app adds to the address of a local server, even to one that has a port. The app then has no
    /// valid address and ends.
    private static let addedPort = ":16180"

    /// The address for cdev's app: without the port that it adds.
    package var shortened: ServerAddress {
        guard !isSecure, authority.hasSuffix(ServerAddress.addedPort) else { return self }
        let host = String(authority.dropLast(ServerAddress.addedPort.count))
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        let isNumeric = numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
        guard isNumeric || host == "localhost" || host.hasSuffix(".local") else { return self }
        return ServerAddress(authority: host, isSecure: isSecure, prefix: prefix)
    }

    private init(authority: String, isSecure: Bool, prefix: String) {
        (self.authority, self.isSecure, self.prefix) = (authority, isSecure, prefix)
        isShownByPage = false
    }
}
