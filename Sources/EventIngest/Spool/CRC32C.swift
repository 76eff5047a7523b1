/// CRC-32C (Castagnoli polynomial, reflected 0x82F63B78), as in RFC 3720 B.4. Detects damage, not forgery.
struct CRC32C {
    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0x82F6_3B78 }
    }

    private var state = UInt32.max

    var value: UInt32 { ~state }

    mutating func combine(_ bytes: Span<UInt8>) {
        let table = CRC32C.table
        var state = state
        for index in bytes.indices {
            state = state >> 8 ^ table[Int(truncatingIfNeeded: (state ^ UInt32(bytes[index])) & 0xFF)]
        }
        self.state = state
    }

    static func of(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        var sum = CRC32C()
        sum.combine(bytes.span)
        return sum.value
    }
}
