/// FNV-1a, 64 bit: the same on every machine and in every run, unlike `Hasher`. For what nobody gains by forging.
public struct StableHash: Sendable {
    public private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    public init() {}

    public mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }
}
