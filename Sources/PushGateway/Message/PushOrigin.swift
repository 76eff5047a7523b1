/// The TLS address of a push service.
public struct PushOrigin: Sendable, Hashable, CustomStringConvertible {
    /// A name in lower case, or an IP address. IPv6 addresses have no brackets.
    public let host: String
    public let port: UInt16

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Host and port for `:authority` and `Host`. Omits port 443.
    public var authority: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == 443 ? name : "\(name):\(port)"
    }

    /// RFC 6454 section 6.2.
    public var description: String { "https://" + authority }
}
