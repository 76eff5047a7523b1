internal import COpenSSL

/// SHA-256 (FIPS 180-4) and the functions that are based on it.
public enum Digest {
    /// Fetched once, because OpenSSL would otherwise look up the algorithm in each call (crypto(7), "Implicit
    /// fetching"). It is never freed, and any thread may read it.
    private nonisolated(unsafe) static let algorithm = unsafe EVP_MD_fetch(nil, "SHA256", nil)

    public static func sha256(_ message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let done = unsafe EVP_Digest(message, message.count, &digest, nil, algorithm, nil)
        precondition(done == 1, "OpenSSL has no memory left for SHA-256")
        return digest
    }

    /// RFC 2104.
    public static func hmacSHA256(key: [UInt8], _ message: [UInt8]) throws(SigningError) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        var length: UInt32 = 0
        // Without a pointer, HMAC would use the key of the previous call. An empty array may have no pointer.
        let block = key.isEmpty ? [0] : key
        let done = unsafe HMAC(EVP_sha256(), block, Int32(clamping: key.count), message, message.count, &code, &length)
        guard unsafe done != nil, length == 32 else { throw SigningError(.libraryFailure, "authenticate a message") }
        return code
    }

    /// HKDF with SHA-256 (RFC 5869).
    /// - Parameter count: the number of bytes to return, at most 8160.
    public static func hkdf(
        secret: [UInt8],
        salt: [UInt8],
        info: [UInt8],
        count: Int
    ) throws(SigningError) -> [UInt8] {
        guard (1...255 * 32).contains(count) else { throw SigningError(.wrongLength, "derive a key") }
        let key = try hmacSHA256(key: salt, secret)
        var output: [UInt8] = []
        var block: [UInt8] = []
        var index: UInt8 = 1
        while output.count < count {
            block = try hmacSHA256(key: key, block + info + [index])
            output += block
            index &+= 1
        }
        return Array(output.prefix(count))
    }
}
