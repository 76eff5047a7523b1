internal import Signing

/// Names made of what machines and sessions say of themselves. Cut from SHA-256, so nobody finds words that give the
/// name of something else.
public enum Fingerprint {
    /// 80 bits as 20 hexadecimal digits.
    public static func hex(_ parts: String...) -> String {
        Hex.encode(sha256(parts).prefix(10))
    }

    /// Of the parts with a zero byte between them: they must hold none, except the last.
    static func sha256(_ parts: [String]) -> [UInt8] {
        var message: [UInt8] = []
        message.reserveCapacity(256)
        for (index, part) in parts.enumerated() {
            if index > 0 { message.append(0) }
            message.append(contentsOf: part.utf8)
        }
        return Digest.sha256(message)
    }
}
