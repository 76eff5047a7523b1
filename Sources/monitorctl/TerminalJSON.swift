/// Escapes JSON for a terminal without changing its meaning.
enum TerminalJSON {
    /// Writes control characters (C0, C1, U+2028, U+2029) and marks of text direction as `\u` and four hexadecimal
    /// digits. These characters occur only within strings, so the meaning does not change. Line feeds, carriage returns
    /// and tabs are kept.
    static func printable(_ json: some Collection<UInt8>) -> [UInt8] {
        var shown: [UInt8] = []
        shown.reserveCapacity(json.count + 16)
        var lead: (UInt8, UInt8) = (0, 0)
        for byte in json {
            if let code = code(lead, byte) {
                if code >= 0x80 { shown.removeLast(code < 0x800 ? 1 : 2) }
                let digits = String(code, radix: 16)
                shown += Array("\\u".utf8) + [UInt8](repeating: UInt8(ascii: "0"), count: 4 - digits.utf8.count)
                shown += Array(digits.utf8)
                lead = (0, 0)
            } else {
                shown.append(byte)
                lead = (lead.1, byte)
            }
        }
        return shown
    }

    /// The character to escape that ends with `byte`, or `nil` if there is none. `lead`: the two preceding bytes.
    private static func code(_ lead: (UInt8, UInt8), _ byte: UInt8) -> UInt32? {
        switch (lead.0, lead.1, byte) {
        case (_, _, 0x09), (_, _, 0x0A), (_, _, 0x0D): nil
        case (_, _, ..<0x20), (_, _, 0x7F): UInt32(byte)
        case (_, 0xC2, 0x80...0x9F): UInt32(byte)
        case (_, 0xD8, 0x9C): 0x061C
        case (0xE2, 0x80, 0x8E...0x8F), (0xE2, 0x80, 0xA8...0xAE): 0x2000 | UInt32(byte & 0x3F)
        case (0xE2, 0x81, 0xA6...0xA9): 0x2040 | UInt32(byte & 0x3F)
        default: nil
        }
    }
}
