internal import COpenSSL

/// A SHA-256 digest (FIPS 180-4). Secrets of high entropy are kept as their digest; a slow password hash would add
/// nothing and cost every request.
public struct SHA256Digest: Sendable, Hashable {
    public let bytes: [UInt8]

    /// A digest read from storage. `nil` unless it has 32 bytes.
    public init?(stored bytes: [UInt8]) {
        guard bytes.count == 32 else { return nil }
        self.bytes = bytes
    }

    public init(of text: String) {
        var digest = [UInt8](repeating: 0, count: 32)
        let input = Array(text.utf8)
        _ = unsafe SHA256(input, input.count, &digest)
        bytes = digest
    }

    /// Takes the same time wherever the two differ.
    public func isEqual(to other: SHA256Digest) -> Bool {
        zip(bytes, other.bytes).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
