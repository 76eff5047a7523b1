internal import JSON

/// Which differences are wanted.
package struct DiffRequest: Sendable {
    package enum Against: Sendable, Equatable {
        /// Between the index and the work tree.
        case workTree
        /// Between HEAD and the index.
        case staged
        /// Between a commit and the work tree.
        case commit(String)
        /// Between the commit at which the branches parted, and the work tree.
        case fork(String)
    }

    package var against = Against.workTree
    /// Only of this file, or of what is below this directory.
    package var path: GitPath?
    package var context = 3
    /// Bytes of the answer.
    package var limit = DiffRequest.mostBytes
    /// Bytes of one file's patch to pass over.
    package var offset = 0

    package static let mostBytes = 360 << 10
    /// The bytes of patches in an answer about several files, which contains more than the patches.
    static let mostBytesOfMany = 280 << 10

    package init() {}
}

/// Cuts patches so that the answer stays within a limit.
struct DiffAnswer {
    private var left: Int

    init(limit: Int) { left = limit }

    /// The whole lines that fit, or the beginning of a line that is too long itself.
    mutating func cut(_ text: ArraySlice<UInt8>) -> (text: String, bytes: Int, isCut: Bool) {
        var cost = 0
        var (end, fits) = (text.startIndex, text.startIndex)
        for index in text.indices {
            cost += DiffAnswer.cost(text[index])
            guard cost <= left else { break }
            fits = index + 1
            if text[index] == UInt8(ascii: "\n") || fits == text.endIndex { end = fits }
        }
        if end == text.startIndex, left >= 1024 { end = fits }
        let kept = text[..<end]
        left -= kept.reduce(0) { $0 + DiffAnswer.cost($1) }
        return (String(decoding: kept, as: UTF8.self), kept.count, kept.count < text.count)
    }

    /// At most so many bytes in JSON.
    private static func cost(_ byte: UInt8) -> Int {
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "\t"), UInt8(ascii: "\""), UInt8(ascii: "\\"): 2
        case 0..<32: 6
        case 128...: 3
        default: 1
        }
    }
}
