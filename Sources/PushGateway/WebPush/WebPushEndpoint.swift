internal import HTTPClient

/// Restrictions on endpoints. Endpoints come from browsers and are not trusted.
public struct WebPushRules: Sendable {
    /// Allowed ports.
    public var ports: [ClosedRange<UInt16>] = [443...443]
    /// Allows push endpoints with loopback, private, link-local and other non-public addresses: for a push service in
    /// the local network, and for tests.
    public var allowsPrivateAddresses = false

    public init() {}
}

/// The parts of an endpoint's URL (RFC 3986): always https, without user, password and fragment.
struct WebPushEndpoint: Sendable, Equatable {
    static let lengthLimit = 2048

    let origin: PushOrigin
    /// Path and query, for `:path`.
    let target: String

    /// Returns `nil` if the text is not such a URL or is longer than `lengthLimit`.
    init?(_ text: String) {
        let bytes = text.utf8
        guard bytes.count <= WebPushEndpoint.lengthLimit, bytes.allSatisfy(WebPushEndpoint.isAllowed) else {
            return nil
        }
        let scheme = "https://"
        guard text.prefix(scheme.count).lowercased() == scheme else { return nil }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard let origin = WebPushEndpoint.origin(authority.lowercased()) else { return nil }
        self.origin = origin
        let target = rest.dropFirst(authority.count)
        self.target = target.first == "/" ? String(target) : "/" + target
    }

    private static func origin(_ authority: String) -> PushOrigin? {
        var host = authority[...]
        var port: UInt16 = 443
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            let digits = authority[authority.index(after: colon)...]
            guard digits.allSatisfy(\.isNumber), digits.first != "0", let number = UInt16(digits) else { return nil }
            port = number
            host = authority[..<colon]
        }
        if host.hasPrefix("[") {
            guard host.hasSuffix("]") else { return nil }
            host = host.dropFirst().dropLast()
            guard host.contains(":"), SocketAddress(address: String(host), port: port) != nil else { return nil }
        } else {
            guard isName(host) else { return nil }
        }
        return PushOrigin(host: String(host), port: port)
    }

    /// A host name (RFC 1123), or an IPv4 address.
    private static func isName(_ host: Substring) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return host.utf8.count <= 253
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
                    && label.utf8.allSatisfy { character in
                        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
                            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
                            || character == UInt8(ascii: "-")
                    }
            }
    }

    /// Printable ASCII, except for characters that occur in no URL, or only in one with a user, a password or a
    /// fragment. An at sign in the path must be written as `%40`.
    private static func isAllowed(_ character: UInt8) -> Bool {
        (0x21...0x7E).contains(character) && !forbidden.contains(character)
    }

    private static let forbidden = Array("\"#<>@\\^`{|}".utf8)
}
