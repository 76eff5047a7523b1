/// The URL of another server: `http` or `https`.
package struct HTTPLocation: Sendable, Equatable, CustomStringConvertible {
    package let isSecure: Bool
    /// A name, or a numeric address without brackets.
    package let host: String
    package let port: UInt16
    /// Begins with a slash and includes the query.
    package let path: String

    /// Returns `nil` unless it is `http[s]://host[:port][/path]` in printable ASCII, without user and fragment.
    package init?(_ text: String) {
        guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !text.contains("#"), !text.contains("\\"),
            let scheme = ["https://", "http://"].first(where: text.hasPrefix)
        else { return nil }
        isSecure = scheme == "https://"
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let target = rest.dropFirst(authority.count)
        path = target.hasPrefix("/") ? String(target) : "/" + target
        let isBracketed = authority.hasPrefix("[")
        let name = isBracketed ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        let tail = authority.dropFirst(name.count + (isBracketed ? 2 : 0))
        let usual: Substring = isSecure ? "443" : "80"
        guard !name.isEmpty, !authority.contains("@"), !isBracketed || authority.contains("]"),
            tail.isEmpty || tail.hasPrefix(":"), let port = UInt16(tail.isEmpty ? usual : tail.dropFirst())
        else { return nil }
        host = String(name).lowercased()
        self.port = port
    }

    /// The place to which an answer redirects; `nil` unless it is whole, or a path of this host.
    package func redirected(to location: String) -> HTTPLocation? {
        let isPath = location.hasPrefix("/") && !location.hasPrefix("//")
        return HTTPLocation(isPath ? origin + location : location)
    }

    /// Scheme, host and port; the port only if it is not the usual one.
    package var origin: String { (isSecure ? "https://" : "http://") + authority }

    package var description: String { origin + path }

    /// As a request names the host.
    var authority: String {
        (host.contains(":") ? "[\(host)]" : host) + (port == (isSecure ? 443 : 80) ? "" : ":\(port)")
    }
}
