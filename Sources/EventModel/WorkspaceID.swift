/// A workspace is a project directory on a machine. Its id follows from the two, so that no look-up is needed to tell
/// it.
public enum WorkspaceID {
    public static func make(machine: MachineID, path: String) -> String {
        var hash = StableHash()
        hash.combine(String(machine.rawValue).utf8)
        hash.combine(CollectionOfOne(0))
        hash.combine(path.utf8)
        let digits = String(hash.value, radix: 16)
        return "ws-" + String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// FNV-1a, 64 bit: the same on every machine and in every run, unlike `Hasher`. Not for secrets.
public struct StableHash: Sendable {
    public private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    public init() {}

    public mutating func combine(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }
}
