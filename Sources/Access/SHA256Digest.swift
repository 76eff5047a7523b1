internal import Signing

/// A SHA-256 digest (FIPS 180-4). Secrets of high entropy are stored as digests; a slow password hash would add no
/// security and delay every request.
package struct SHA256Digest: Sendable, Hashable {
    /// Big-endian.
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    /// A digest read from storage. Returns `nil` unless it has 32 bytes.
    package init?(stored bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.init(whole: bytes)
    }

    package init(of text: String) {
        self.init(whole: Digest.sha256(Array(text.utf8)))
    }

    private init(whole bytes: [UInt8]) {
        func word(_ first: Int) -> UInt64 { bytes[first..<first + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        words = (word(0), word(8), word(16), word(24))
    }

    package var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in
            (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
        }
    }

    /// Compares in constant time.
    package func isEqual(to other: SHA256Digest) -> Bool {
        let left = (words.0 ^ other.words.0) | (words.1 ^ other.words.1)
        let right = (words.2 ^ other.words.2) | (words.3 ^ other.words.3)
        return left | right == 0
    }

    package static func == (one: SHA256Digest, other: SHA256Digest) -> Bool { one.isEqual(to: other) }

    package func hash(into hasher: inout Hasher) {
        // Any part of a digest is as uniformly distributed as the whole.
        hasher.combine(words.0)
    }
}
