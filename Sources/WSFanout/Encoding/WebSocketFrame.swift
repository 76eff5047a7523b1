/// Server frames of RFC 6455 section 5.2: unmasked, unfragmented, no extension.
///
///     byte 0   FIN (0x80) | opcode (1: text)
///     byte 1   length 0...125, or 126 and 2 bytes of length, or 127 and 8 bytes of length, big-endian, shortest form
///     then     payload
public enum WebSocketFrame {
    public static func text(_ payload: some Collection<UInt8>) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(payload.count + 10)
        appendTextHeader(payloadLength: payload.count, to: &frame)
        frame.append(contentsOf: payload)
        return frame
    }

    /// The caller must then append `length` bytes of payload.
    public static func appendTextHeader(payloadLength length: Int, to bytes: inout [UInt8]) {
        appendHeader(0x81, payloadLength: length, to: &bytes)
    }

    static func appendHeader(_ first: UInt8, payloadLength length: Int, to bytes: inout [UInt8]) {
        bytes.append(first)
        switch length {
        case ...125:
            bytes.append(UInt8(length))
        case ...0xFFFF:
            bytes.append(126)
            append(length, bytes: 2, to: &bytes)
        default:
            bytes.append(127)
            append(length, bytes: 8, to: &bytes)
        }
    }

    private static func append(_ length: Int, bytes count: Int, to bytes: inout [UInt8]) {
        for index in (0..<count).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: length >> (8 * index)))
        }
    }
}
