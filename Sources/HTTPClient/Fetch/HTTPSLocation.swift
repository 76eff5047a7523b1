/// An `https` URL from the configuration.
package struct HTTPSLocation: Sendable, Equatable {
    package let host: String
    package let port: UInt16
    /// Begins with a slash and includes the query.
    package let path: String

    /// Returns `nil` unless it is `https://host[:port][/path]` in printable ASCII, without user and fragment.
    package init?(_ text: String) {
        let scheme = "https://"
        guard text.hasPrefix(scheme), text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            !text.contains("#"), !text.contains("@")
        else { return nil }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let target = rest.dropFirst(authority.count)
        path = target.hasPrefix("/") ? String(target) : "/" + target
        let isBracketed = authority.hasPrefix("[")
        let name = isBracketed ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" }
        let tail = authority.dropFirst(name.count + (isBracketed ? 2 : 0))
        guard !name.isEmpty, !isBracketed || authority.contains("]"), tail.isEmpty || tail.hasPrefix(":"),
            let port = UInt16(tail.isEmpty ? "443" : tail.dropFirst())
        else { return nil }
        host = String(name)
        self.port = port
    }

    var request: [UInt8] {
        let name = (host.contains(":") ? "[\(host)]" : host) + (port == 443 ? "" : ":\(port)")
        return Array(
            ("GET \(path) HTTP/1.1\r\nHost: \(name)\r\nAccept: application/json\r\nConnection: close\r\n"
                + "User-Agent: claude-monitor\r\n\r\n").utf8
        )
    }
}
