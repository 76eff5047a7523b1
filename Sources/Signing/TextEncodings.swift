/// Lowercase hexadecimal digits.
public enum Hex {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Two digits for each byte.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Random text of digits and letters, for credentials.
public enum Base62 {
    public static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// Each character has 5.95 random bits.
    public static func random(_ length: Int, using random: inout some RandomNumberGenerator) -> [UInt8] {
        (0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
    }
}
