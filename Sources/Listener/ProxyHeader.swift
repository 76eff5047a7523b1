internal import HTTPModel

/// The header of the PROXY protocol, versions 1 and 2 (haproxy.org, proxy-protocol.txt), which a proxy sends before
/// anything else.
enum ProxyHeader: Equatable {
    case incomplete
    case invalid
    /// `client` is nil if the proxy speaks for itself, as in its health checks.
    case complete(length: Int, client: IPAddress?)

    private static let signature: [UInt8] = [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]
    /// Maximum bytes of the addresses and extensions of version 2.
    private static let maximumPayload = 2048
    private static let longestLine = 107

    static func read(_ bytes: [UInt8]) -> ProxyHeader {
        let start = bytes.prefix(signature.count)
        if signature.starts(with: start) {
            return start.count == signature.count ? readBinary(bytes) : .incomplete
        }
        return readLine(bytes)
    }

    private static func readLine(_ bytes: [UInt8]) -> ProxyHeader {
        let word = Array("PROXY ".utf8)
        guard word.starts(with: bytes.prefix(word.count)) else { return .invalid }
        guard let end = bytes.prefix(longestLine).firstIndex(of: .lineFeed) else {
            return bytes.count >= longestLine ? .invalid : .incomplete
        }
        guard bytes[end - 1] == .carriageReturn else { return .invalid }
        let parts = String(decoding: bytes[..<(end - 1)], as: UTF8.self).split(
            separator: " ",
            omittingEmptySubsequences: false
        )
        if parts.count >= 2, parts[1] == "UNKNOWN" { return .complete(length: end + 1, client: nil) }
        guard parts.count == 6, parts[1] == "TCP4" || parts[1] == "TCP6", let client = IPAddress(parts[2]),
            client.isIPv4 == (parts[1] == "TCP4"), IPAddress(parts[3]) != nil, UInt16(parts[4]) != nil,
            UInt16(parts[5]) != nil
        else { return .invalid }
        return .complete(length: end + 1, client: client)
    }

    private static func readBinary(_ bytes: [UInt8]) -> ProxyHeader {
        guard bytes.count >= 16 else { return .incomplete }
        let payload = Int(bytes[14]) << 8 | Int(bytes[15])
        guard bytes[12] >> 4 == 2, bytes[12] & 15 <= 1, payload <= maximumPayload else { return .invalid }
        guard bytes.count >= 16 + payload else { return .incomplete }
        let isLocal = bytes[12] & 15 == 0
        let size =
            switch bytes[13] >> 4 {
            case 1: 4
            case 2: 16
            default: 0
            }
        guard !isLocal, size > 0 else { return .complete(length: 16 + payload, client: nil) }
        guard payload >= 2 * size + 4, let client = IPAddress(networkOrder: bytes[16..<(16 + size)]) else {
            return .invalid
        }
        return .complete(length: 16 + payload, client: client)
    }
}
