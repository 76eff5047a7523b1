/// The server that a connection goes to, and the client's credential.
package struct WebSocketEndpoint: Sendable, Equatable {
    package let host: String
    package let port: UInt16
    package let isSecure: Bool
    /// With the query, if any.
    package let path: String
    /// Sent as `Authorization: Bearer`. Never shown.
    package let key: String
    /// PEM certificates to verify the server with, in place of the system's.
    package var certificates: String?
    /// `host:port`, with `user:password@` before it if the proxy asks for that.
    package var proxy: String?

    /// - Parameters:
    ///   - address: `http`, `https`, `ws` or `wss`, with a host and perhaps a port and a path.
    ///   - path: is added to the path of the address.
    ///   - allowsPlaintext: whether a connection beyond loopback may be without TLS.
    package init(
        _ address: String,
        path: String,
        key: String,
        allowsPlaintext: Bool = false
    ) throws(WebSocketAddressError) {
        guard let colon = address.firstIndex(of: ":"), address[colon...].hasPrefix("://") else { throw .malformed }
        let scheme = address[..<colon].lowercased()
        let rest = address[address.index(colon, offsetBy: 3)...]
        switch scheme {
        case "https", "wss": isSecure = true
        case "http", "ws": isSecure = false
        default: throw .malformed
        }
        let slash = rest.firstIndex(of: "/") ?? rest.endIndex
        guard let (host, port) = WebSocketEndpoint.place(rest[..<slash]) else { throw .malformed }
        var base = String(rest[slash...])
        while base.hasSuffix("/") { base.removeLast() }
        guard (base + path).utf8.allSatisfy({ $0 > 32 && $0 < 127 }), !base.contains("?"), !base.contains("#") else {
            throw .malformed
        }
        guard (1...4096).contains(key.utf8.count), key.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            throw .badKey
        }
        (self.host, self.path, self.key) = (host, base + path, key)
        self.port = port ?? (isSecure ? 443 : 80)
        guard isSecure || isLoopback || allowsPlaintext else { throw .plaintext }
    }

    /// Whether the address itself says that the connection stays on this machine.
    package var isLoopback: Bool {
        if host.lowercased() == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// The header `Host`.
    var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    /// Without what is secret.
    package var shown: String { "\(isSecure ? "wss" : "ws")://\(authority)\(path)" }

    private static func place(_ text: Substring) -> (host: String, port: UInt16?)? {
        var host = text
        var port: Substring?
        if text.first == "[" {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            if !rest.isEmpty {
                guard rest.first == ":" else { return nil }
                port = rest.dropFirst()
            }
            guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
        } else {
            if let colon = text.firstIndex(of: ":") {
                host = text[..<colon]
                port = text[text.index(after: colon)...]
            }
            let isName = host.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 32) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F
            }
            guard (1...253).contains(host.utf8.count), isName else { return nil }
        }
        guard let port else { return (String(host), nil) }
        guard let number = UInt16(port), number > 0 else { return nil }
        return (String(host), number)
    }
}

package enum WebSocketAddressError: Error, Equatable, CustomStringConvertible {
    case malformed
    case badKey
    case plaintext

    package var description: String {
        switch self {
        case .malformed: "the server's address is not of the form https://NAME[:PORT]"
        case .badKey: "the machine key is not text without spaces"
        case .plaintext:
            "the server's address is http: beyond this machine that needs plaintext=yes in the file agent"
        }
    }
}
