/// Where a push service listens, by TLS.
public struct PushOrigin: Sendable, Hashable, CustomStringConvertible {
    /// A name in lower case, or an IP address, version 6 without its brackets.
    public let host: String
    public let port: UInt16

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Host and port as `:authority` and `Host` have them; 443 is left out.
    public var authority: String {
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return port == 443 ? name : "\(name):\(port)"
    }

    /// RFC 6454 section 6.2.
    public var description: String { "https://" + authority }
}
