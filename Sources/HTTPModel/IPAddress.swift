internal import Glibc

/// An IPv4 or IPv6 address in 16 bytes. IPv4 is mapped (RFC 4291 section 2.5.5.2), so both spellings are the same
/// address.
public struct IPAddress: Hashable, Sendable {
    public let bytes: [UInt8]

    private static let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

    /// Parses an address without brackets and port. Drops a zone (`%eth0`).
    public init?(_ text: some StringProtocol) {
        let name = String(text.prefix { $0 != "%" })
        var four = [UInt8](repeating: 0, count: 4)
        if unsafe inet_pton(AF_INET, name, &four) == 1 {
            bytes = Self.mapped + four
            return
        }
        var sixteen = [UInt8](repeating: 0, count: 16)
        guard unsafe inet_pton(AF_INET6, name, &sixteen) == 1 else { return nil }
        bytes = sixteen
    }

    /// 4 or 16 bytes in network order.
    public init?(networkOrder: some Collection<UInt8>) {
        switch networkOrder.count {
        case 4: bytes = Self.mapped + Array(networkOrder)
        case 16: bytes = Array(networkOrder)
        default: return nil
        }
    }

    public var isIPv4: Bool { bytes.starts(with: Self.mapped) }
    public var isLoopback: Bool {
        isIPv4 ? bytes[12] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }

    public var text: String {
        var text = [CChar](repeating: 0, count: 64)
        let family = isIPv4 ? AF_INET : AF_INET6
        let part = isIPv4 ? Array(bytes[12...]) : bytes
        guard unsafe inet_ntop(family, part, &text, 64) != nil else { return "" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
