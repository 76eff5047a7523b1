internal import Signing

/// Ids derived from what machines and sessions report about themselves. They are parts of SHA-256 digests, so nobody
/// can choose a report that results in the id of something else.
public enum Fingerprint {
    /// 80 bits as 20 hexadecimal digits.
    public static func hex(_ parts: String...) -> String {
        Hex.encode(sha256(parts).prefix(10))
    }

    /// Hashes the parts with a zero byte between them. Only the last part may contain a zero byte.
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
