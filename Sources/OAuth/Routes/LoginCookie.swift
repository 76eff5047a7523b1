internal import HTTPModel
internal import Signing

/// The cookie that binds a login to the browser in which it began. All logins of a browser share it.
struct LoginCookie: Sendable, Equatable {
    /// 43 characters.
    let secret: String
    /// Whether the browser comes back by https. The name then has the prefix with which no other host, and no page
    /// without TLS, can set it.
    let isSecure: Bool

    /// The cookie of the request. Returns `nil` if it has none.
    init?(in request: HTTPRequest, isSecure: Bool) {
        let prefix = LoginCookie.name(for: request, isSecure) + "="
        let pairs = (request.headers["cookie"] ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
        let found = pairs.filter { $0.hasPrefix(prefix) }
        guard found.count == 1, let value = found.first?.dropFirst(prefix.count),
            Base64URL.decode(value)?.count == 32
        else { return nil }
        (secret, self.isSecure) = (String(value), isSecure)
    }

    init(secret: String, isSecure: Bool) {
        (self.secret, self.isSecure) = (secret, isSecure)
    }

    /// The value of `Set-Cookie`. The browser sends it when another site leads back here, so it cannot be `Strict`.
    func header(for request: HTTPRequest) -> String {
        "\(LoginCookie.name(for: request, isSecure))=\(secret); Path=/; Max-Age=\(Int(PendingLogin.seconds)); "
            + "HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
    }

    /// Browsers do not distinguish cookies of different ports, so on loopback the name does.
    private static func name(for request: HTTPRequest, _ isSecure: Bool) -> String {
        if isSecure { return "__Host-monitor_oauth" }
        let port = (request.headers["host"] ?? "").split(separator: ":").last.flatMap { UInt16($0) }
        return "monitor_oauth_\(port ?? 80)"
    }
}
