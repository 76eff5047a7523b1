/// FNV-1a, 64 bits: the same on every machine and in every run, unlike `Hasher`. Use it where forging a hash gains
/// nothing.
///
/// Inlinable: callers hash byte by byte.
@frozen public struct StableHash: Sendable {
    @usableFromInline var state: UInt64 = 0xCBF2_9CE4_8422_2325

    public var value: UInt64 { state }

    @inlinable public init() {}

    @inlinable public mutating func combine(_ bytes: Span<UInt8>) {
        for index in bytes.indices { combine(bytes[index]) }
    }

    /// Hashes the bytes of the word, the lowest first.
    @inlinable public mutating func combine(_ word: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { combine(UInt8(truncatingIfNeeded: word >> shift)) }
    }

    @inlinable public mutating func combine(_ byte: UInt8) {
        state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
    }
}
