internal import HTTPModel

/// The proxies whose information about their clients is trusted.
public struct TrustedProxies: Sendable, Equatable {
    private var networks = IPNetworks()
    /// Whether every client of a unix socket counts as a trusted proxy.
    private(set) var includesUnixSockets = false

    public init() {}

    /// Each text is one of `10.0.0.0/8`, `192.0.2.1`, `2001:db8::/32` and `unix`. Returns nil if a text has another
    /// form.
    public init?(_ texts: [String]) {
        for text in texts {
            guard text != "unix" else {
                includesUnixSockets = true
                continue
            }
            guard networks.insert(text) else { return nil }
        }
    }

    public var isEmpty: Bool { networks.isEmpty && !includesUnixSockets }

    func contains(_ address: IPAddress) -> Bool {
        networks.contains(address)
    }

    /// Returns the client of a request that a trusted proxy passes on: the last address of `X-Forwarded-For` that is
    /// not a trusted proxy itself. The client may have written the addresses before it. Returns nil if the header names
    /// no client.
    func client(forwardedFor value: String) -> String? {
        var client: String?
        for item in value.split(separator: ",").reversed() {
            guard let address = Self.address(item) else { return client }
            client = address.text
            if !contains(address) { return client }
        }
        return client
    }

    /// `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]:80`.
    private static func address(_ item: Substring) -> IPAddress? {
        let item = item.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
        if item.first == "[" { return IPAddress(item.dropFirst().prefix { $0 != "]" }) }
        if let address = IPAddress(item) { return address }
        return IPAddress(item.prefix { $0 != ":" })
    }
}
