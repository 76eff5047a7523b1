internal import JSON

/// The hunks of a file as an answer has room for them.
struct ChangeHunks {
    let header: String
    let hunks: [String]
    /// Where the rest begins.
    let nextOffset: Int?

    /// - Parameter offset: bytes after the header to pass over.
    init(_ text: [UInt8], offset: Int, _ room: inout DiffAnswer) {
        let starts = ChangeHunks.starts(text)
        let begin = starts.first ?? text.count
        header = decoded(text[..<begin])
        let body = text[min(begin + offset, text.count)...]
        let cut = room.cut(body)
        var end = body.startIndex + cut.bytes
        if cut.isCut, let last = starts.last(where: { $0 <= end }), last > body.startIndex { end = last }
        let inner = starts.filter { $0 > body.startIndex && $0 < end }
        let edges = [body.startIndex] + inner + [end]
        hunks = zip(edges, edges.dropFirst()).filter { $0 < $1 }.map { decoded(text[$0..<$1]) }
        nextOffset = end < text.count ? end - begin : nil
    }

    /// Where the hunks begin, and the further headers of a file whose type has changed. Lines of a file never begin so.
    private static func starts(_ text: [UInt8]) -> [Int] {
        let marks = ["@@ ", "diff --git "].map { Array($0.utf8) }
        var starts: [Int] = []
        var line = text.startIndex
        while line < text.endIndex {
            if line > 0, marks.contains(where: { text[line...].starts(with: $0) }) { starts.append(line) }
            line = text[line...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.endIndex
        }
        return starts
    }

    var members: [(String, JSONValue)] {
        [
            ("header", .string(header)), ("hunks", .array(hunks.map(JSONValue.string))),
            ("is_truncated", .bool(nextOffset != nil)),
            ("next_offset", nextOffset.map { .integer(Int64($0)) } ?? .null),
        ]
    }
}
