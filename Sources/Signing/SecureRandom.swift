internal import COpenSSL

public enum SecureRandom {
    /// Returns bytes from libcrypto's generator (RAND_bytes(3)).
    public static func bytes(_ count: Int) throws(SigningError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        guard unsafe RAND_bytes(&bytes, Int32(count)) == 1 else {
            throw SigningError(.libraryFailure, "draw random bytes")
        }
        return bytes
    }
}
