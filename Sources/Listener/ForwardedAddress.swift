internal import HTTPModel

/// What a trusted proxy says about the address that the client used. Where several proxies have added a value, the last
/// one counts: the client may have written those before it.
struct ForwardedAddress: Equatable, Sendable {
    /// Name and port, from `X-Forwarded-Host`; nil unless the name is one of the server's.
    var host: String?
    /// From `X-Forwarded-Proto`.
    var isSecure: Bool?
    /// The path below which the proxy publishes the server, from `X-Forwarded-Prefix`: empty, or `/name` without a
    /// slash at its end.
    var prefix = ""

    private static let longestPrefix = 200

    /// Nothing, as of a client without a proxy.
    init() {}

    /// - Parameter isProxy: whether the request comes from a trusted proxy. Everybody else's headers are ignored.
    init(_ head: RequestHead, isProxy: Bool, names: NameRules) {
        guard isProxy else { return }
        if let named = Self.last(head[.forwardedHost]), names.allows(host: named) { host = named }
        switch Self.last(head[.forwardedScheme])?.lowercased() {
        case "https", "wss": isSecure = true
        case "http", "ws": isSecure = false
        default: break
        }
        if let path = Self.last(head[.forwardedPrefix]) { prefix = Self.prefix(path) ?? "" }
    }

    private static func last(_ list: String?) -> String? {
        let item = list?.split(separator: ",").last?.drop { $0 == " " || $0 == "\t" }
        return item.flatMap { $0.isEmpty ? nil : String($0) }
    }

    /// Returns nil for a text that cannot stand between a name and a path in a URL.
    private static func prefix(_ text: String) -> String? {
        guard text.utf8.count <= longestPrefix, text.hasPrefix("/"), !text.contains("//"), !text.contains("/."),
            text.utf8.allSatisfy({ $0 == UInt8(ascii: "/") || $0.isPlainPathByte })
        else { return nil }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}

extension UInt8 {
    /// RFC 3986 section 2.3: unreserved.
    fileprivate var isPlainPathByte: Bool {
        switch self {
        case 48...57, 65...90, 97...122, 45, 46, 95, 126: true
        default: false
        }
    }
}
