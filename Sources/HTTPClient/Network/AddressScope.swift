extension SocketAddress {
    /// Whether the address is public: not loopback, private, link-local, multicast, reserved or for documentation
    /// (the registries of RFC 6890). Also checks IPv4 addresses embedded in IPv6 addresses.
    var isPublic: Bool {
        let address = numericBytes
        switch address.count {
        case 4: return !AddressScope.isSpecial4(address)
        case 16: return AddressScope.isPublic6(address)
        default: return false
        }
    }
}

private enum AddressScope {
    /// Prefixes of IPv4 addresses: the first bytes, and the number of significant bits.
    private static let special4: [(prefix: [UInt8], bits: Int)] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
        ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24),
        ([203, 0, 113], 24), ([224], 4), ([240], 4),
    ]

    /// Within 2000::/3: IETF protocols with Teredo, documentation, 6to4, documentation.
    private static let special6: [(prefix: [UInt8], bits: Int)] = [
        ([0x20, 0x01, 0], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02], 16), ([0x3F, 0xFF, 0], 20),
    ]

    /// Prefixes of IPv6 addresses that embed an IPv4 address: mapped (RFC 4291) and translated (RFC 6052).
    private static let wrappers: [[UInt8]] = [
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0],
    ]

    static func isSpecial4(_ address: [UInt8]) -> Bool {
        special4.contains { begins(address, with: $0.prefix, bits: $0.bits) }
    }

    static func isPublic6(_ address: [UInt8]) -> Bool {
        if wrappers.contains(where: { address.starts(with: $0) }) { return !isSpecial4(Array(address.suffix(4))) }
        return begins(address, with: [0x20], bits: 3)
            && !special6.contains { begins(address, with: $0.prefix, bits: $0.bits) }
    }

    private static func begins(_ address: [UInt8], with prefix: [UInt8], bits: Int) -> Bool {
        for (index, byte) in prefix.enumerated() {
            let counted = min(8, bits - index * 8)
            guard counted > 0 else { return true }
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> counted)
            if address[index] & mask != byte & mask { return false }
        }
        return true
    }
}
