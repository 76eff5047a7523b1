/// Networks of IP addresses.
public struct IPNetworks: Sendable, Equatable {
    private struct Network: Sendable, Equatable {
        let address: IPAddress
        /// The number of significant bits of the 16 bytes.
        let prefix: Int

        func contains(_ other: IPAddress) -> Bool {
            let whole = prefix / 8
            guard address.bytes[..<whole].elementsEqual(other.bytes[..<whole]) else { return false }
            let rest = prefix % 8
            return rest == 0 || (address.bytes[whole] ^ other.bytes[whole]) >> (8 - rest) == 0
        }
    }

    private var networks: [Network] = []

    public init() {}

    /// Returns `nil` if a text is neither a network in CIDR notation (`10.0.0.0/8`, `2001:db8::/32`) nor an address.
    public init?(_ texts: [String]) {
        for text in texts {
            guard insert(text) else { return nil }
        }
    }

    public var isEmpty: Bool { networks.isEmpty }

    /// Returns false for a text that is neither a network nor an address.
    public mutating func insert(_ text: String) -> Bool {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(parts[0]) else { return false }
        let longest = address.isIPv4 ? 32 : 128
        var prefix = longest
        if parts.count == 2 {
            guard let bits = Int(parts[1]), (0...longest).contains(bits) else { return false }
            prefix = bits
        }
        networks.append(Network(address: address, prefix: prefix + 128 - longest))
        return true
    }

    public func contains(_ address: IPAddress) -> Bool { networks.contains { $0.contains(address) } }
}
