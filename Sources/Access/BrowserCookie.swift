package import HTTPModel

/// The cookie of a browser that is signed in. It contains the refresh token, which the page's script cannot read.
/// Browsers send a cookie to all ports of a host, so it counts only with the secret that the page keeps for its own
/// origin.
package struct BrowserCookie: Sendable, Equatable {
    package let refreshToken: String

    package init(refreshToken: String) {
        self.refreshToken = refreshToken
    }

    /// Returns `nil` if the request has no such cookie.
    package init?(in request: HTTPRequest) {
        guard let header = request.headers["cookie"] else { return nil }
        let prefix = BrowserCookie.name(for: request) + "="
        let pairs = header.split(separator: ";").lazy.map { $0.drop { $0 == " " } }
        guard let value = pairs.first(where: { $0.hasPrefix(prefix) })?.dropFirst(prefix.count) else { return nil }
        self.init(refreshToken: String(value))
    }

    /// The value of `Set-Cookie`. `Secure` is left out on loopback without TLS only.
    /// - Parameter path: absolute, as the browser sees it; other programs at the same name then do not get the cookie.
    package func header(for request: HTTPRequest, path: String, seconds: Int) -> String {
        let name = BrowserCookie.name(for: request)
        let attributes = "Path=\(path); Max-Age=\(seconds); HttpOnly; SameSite=Strict"
        let isPlain =
            request.isToLoopback && request.headers["origin"]?.hasPrefix("https:") != true
            && request.isForwardedSecurely != true
        return "\(name)=\(refreshToken); \(attributes)" + (isPlain ? "" : "; Secure")
    }

    /// Removes the cookie.
    package static func removal(for request: HTTPRequest, path: String) -> String {
        BrowserCookie(refreshToken: "").header(for: request, path: path, seconds: 0)
    }

    /// Browsers do not distinguish cookies of different ports, so the name distinguishes them.
    static func name(for request: HTTPRequest) -> String {
        let authority = request.headers["host"] ?? ""
        let port = authority.split(separator: ":").last.flatMap { Int($0) }
        let isLiteral = authority.hasSuffix("]")
        return isLiteral || port == nil ? "monitor_session" : "monitor_session_\(port ?? 0)"
    }
}

extension HTTPRequest {
    /// Whether a page of this server, or of an origin that the operator has listed, sent the request. Browsers name the
    /// origin with every upgrade and with every request that is not a GET.
    package var isFromOwnPage: Bool { readableOrigin != nil }

    /// Whether the client addressed the server by a name of loopback.
    package var isToLoopback: Bool {
        let authority = headers["host"]?.lowercased() ?? ""
        return ["localhost", "127.0.0.1", "[::1]"].contains { authority == $0 || authority.hasPrefix($0 + ":") }
    }
}

extension APIError {
    /// For a request with a cookie, which a browser also sends on behalf of other pages.
    package static let foreignPage = APIError(
        .permission,
        status: 403,
        code: "origin_not_allowed",
        message: "The cookie counts only for a page of this server, which the Origin header names."
    )
}
