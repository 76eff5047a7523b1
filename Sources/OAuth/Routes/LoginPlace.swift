package import HTTPClient
internal import HTTPModel

/// Where browsers reach this server, for the address to which an authorization server sends them back.
package struct LoginPlace: Sendable {
    private let publicURL: HTTPLocation?

    /// - Parameter publicURL: the address of the server for browsers; `nil` if only programs of its machine reach it.
    package init(publicURL: HTTPLocation?) {
        self.publicURL = publicURL
    }

    static let callbackPath = "/oauth/callback"
    static let documentPath = "/oauth/client.json"
    static let linkPath = "/link/"
    static let loopback: Set<String> = ["localhost", "127.0.0.1", "::1"]

    /// Where the browser comes back. Throws 409 `public_url_missing` if no address is known to lead here.
    func redirectURI(for request: HTTPRequest) throws(APIError) -> String {
        try base(for: request) + LoginPlace.callbackPath
    }

    /// What comes before the token of a link. Throws as `redirectURI` does.
    ///
    /// - Parameter origin: the server's address, as the client uses it.
    func linkURL(at origin: String) throws(APIError) -> String {
        if let base { return base + LoginPlace.linkPath }
        guard let location = HTTPLocation(origin), !location.isSecure, LoginPlace.loopback.contains(location.host)
        else {
            throw LoginPlace.unknown
        }
        return location.origin + LoginPlace.linkPath
    }

    private func base(for request: HTTPRequest) throws(APIError) -> String {
        if let base { return base }
        // Only a browser of this machine gets here, and it gets here by the same address again (RFC 8252, 7.3).
        guard request.isToLoopbackAddress, let host = request.headers["host"] else { throw LoginPlace.unknown }
        return "http://\(host)"
    }

    /// The id of this server as a client: the URL of its description. `nil` if other servers cannot fetch it.
    var document: String? { base.map { $0 + LoginPlace.documentPath } }

    /// The address to which the description sends browsers back.
    var publicRedirectURI: String? { base.map { $0 + LoginPlace.callbackPath } }

    var isSecure: Bool { publicURL?.isSecure ?? false }

    private var base: String? { publicURL.map { $0.origin + $0.plainPath } }

    private static let unknown = APIError(
        .conflict,
        status: 409,
        code: "public_url_missing",
        message: "Browsers cannot come back from a login: set MONITOR_PUBLIC_URL, or open the page on this machine."
    )
}

extension HTTPRequest {
    fileprivate var isToLoopbackAddress: Bool {
        let authority = headers["host"]?.lowercased() ?? ""
        return isForwardedSecurely == nil
            && ["localhost", "127.0.0.1", "[::1]"].contains { authority == $0 || authority.hasPrefix($0 + ":") }
    }
}
