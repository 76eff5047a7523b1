internal import HTTPModel

/// Where a loop listens.
public enum ListenAddress: Sendable, Equatable {
    /// A literal address or a name. An IPv6 literal has no brackets. With port 0 the kernel chooses the port.
    case tcp(host: String, port: UInt16)
    case unix(path: String)

    /// `host:port`, `[v6]:port` or `unix:/path`.
    public init(parsing text: String) throws(ListenAddressError) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard path.hasPrefix("/") else { throw .relativePath }
            // sockaddr_un.sun_path has 108 bytes, the last one is NUL (unix(7)).
            guard path.utf8.count <= 107 else { throw .pathTooLong }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { throw .missingPort }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(digits) else {
            throw .badPort
        }
        var host = text[..<colon]
        if host.hasPrefix("[") {
            guard host.hasSuffix("]"), host.count > 2 else { throw .badHost }
            host = host.dropFirst().dropLast()
            guard host.utf8.allSatisfy({ $0 == 58 || $0 == 46 || Self.isHexDigit($0) }) else { throw .badHost }
        } else {
            guard !host.isEmpty, host.utf8.allSatisfy(Self.isNameByte) else { throw .badHost }
        }
        self = .tcp(host: String(host), port: port)
    }

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...70).contains(byte) || (97...102).contains(byte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
            || byte == 45 || byte == 46 || byte == 95
    }
}

extension ListenAddress {
    /// Whether only programs of this computer can connect. The name `localhost` is taken at its word (RFC 6761).
    package var isLoopback: Bool {
        switch self {
        case .tcp(let host, _): host.lowercased() == "localhost" || IPAddress(host)?.isLoopback == true
        case .unix: true
        }
    }
}

extension ListenAddress: CustomStringConvertible {
    /// The form that `init(parsing:)` reads.
    public var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}

public enum ListenAddressError: Error, Sendable, Equatable, CustomStringConvertible {
    case missingPort
    case badPort
    case badHost
    case relativePath
    case pathTooLong

    public var description: String {
        switch self {
        case .missingPort: "an address needs a port: host:port, [v6]:port or unix:/path"
        case .badPort: "the port must be a number from 0 to 65535"
        case .badHost: "the host must be a name, an IPv4 address or an IPv6 address in brackets"
        case .relativePath: "the path of a unix socket must start with /"
        case .pathTooLong: "the path of a unix socket has at most 107 bytes"
        }
    }
}

/// An address on which a loop is listening.
public struct BoundAddress: Sendable, Equatable {
    /// With the actual port if port 0 was requested.
    public let address: ListenAddress
    /// TLS. Unix sockets never have it.
    public let isSecure: Bool

    /// The root for clients, such as `http://127.0.0.1:8766`; `unix:/path` for a unix socket.
    public var url: String {
        switch address {
        case .tcp: (isSecure ? "https://" : "http://") + address.description
        case .unix: address.description
        }
    }
}
