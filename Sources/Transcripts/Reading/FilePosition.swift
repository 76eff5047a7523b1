internal import Signing

/// How far a transcript has been read. A file is known by its path and by its first bytes.
struct FilePosition: Equatable {
    /// Bytes at the beginning of a file that identify it.
    static let prefixBytes = 4096

    /// Counts how often the file was replaced.
    var generation: Int64 = 1
    /// The position of the first line that is not stored.
    var lineOffset: Int64 = 0
    /// The number of bytes that `prefixHash` covers; 0 while no hash is known.
    var prefixLength: Int64 = 0
    var prefixHash: [UInt8] = []

    enum Decision: Equatable {
        /// Accept the piece without its first bytes, which are already known.
        case take(skipping: Int)
        /// Another file has the path now: begin a new generation.
        case restart
        /// The sender must continue at this position.
        case gap(Int64)
    }

    /// - Parameters:
    ///   - offset: the position of the piece.
    ///   - prefix: the sender's hash of the first `min(offset, prefixBytes)` bytes; `nil` at offset 0.
    ///   - next: the position after the last byte that was taken.
    func decide(offset: Int64, prefix: [UInt8]?, piece: [UInt8], next: Int64) -> Decision {
        if offset == 0 {
            guard next > 0, !piece.isEmpty else { return .take(skipping: 0) }
            return begins(like: piece) ? .take(skipping: Int(min(next, Int64(piece.count)))) : .restart
        }
        let length = min(offset, Int64(FilePosition.prefixBytes))
        if prefixLength == length, let prefix, prefix != prefixHash { return .gap(0) }
        guard offset <= next else { return .gap(next) }
        return .take(skipping: Int(min(next - offset, Int64(piece.count))))
    }

    /// Whether the piece, which begins a file, matches the beginning of the known file.
    private func begins(like piece: [UInt8]) -> Bool {
        guard prefixLength > 0, Int64(piece.count) >= prefixLength else { return false }
        return Digest.sha256(Array(piece.prefix(Int(prefixLength)))) == prefixHash
    }

    /// Remembers the beginning of the file after a piece was taken. The first bytes themselves are not kept, because
    /// they may contain secrets. Therefore a hash that the sender states is trusted until a longer one is known.
    mutating func learn(offset: Int64, prefix: [UInt8]?, piece: [UInt8]) {
        if offset == 0 {
            let length = min(piece.count, FilePosition.prefixBytes)
            guard Int64(length) > prefixLength else { return }
            prefixLength = Int64(length)
            prefixHash = Digest.sha256(Array(piece.prefix(length)))
        } else if let prefix {
            let length = min(offset, Int64(FilePosition.prefixBytes))
            guard length > prefixLength else { return }
            (prefixLength, prefixHash) = (length, prefix)
        }
    }
}
