/// Joins the pieces of a transcript into lines. A line may span many pieces. A line that is longer than the limit is
/// reported by its size.
struct LineSplitter: Equatable {
    /// The maximum bytes of a line that are kept. Lines with images of several megabytes exist.
    static let maxLineBytes = 16 << 20
    /// The number of bytes kept of a line that is too long. They are enough to determine its type.
    static let keptBytes = 4096

    struct Line: Equatable {
        /// Position of its first byte in the file.
        var offset: Int64
        /// The line without its line break. Of a line that is too long, only the beginning.
        var bytes: ArraySlice<UInt8>
        /// The whole length.
        var size: Int64
        var isCut: Bool { size > Int64(bytes.count) }
    }

    /// Where the unfinished line begins.
    private(set) var lineOffset: Int64
    /// The beginning of the unfinished line.
    private(set) var tail: [UInt8] = []
    /// The number of bytes of the unfinished line that were read but are not in `tail`.
    private(set) var skipped: Int64 = 0

    init(at offset: Int64) {
        lineOffset = offset
    }

    /// The position after the last byte that was taken.
    var nextOffset: Int64 { lineOffset + Int64(tail.count) + skipped }

    /// Takes the bytes at `nextOffset` and returns the lines that they complete.
    mutating func take(_ bytes: ArraySlice<UInt8>) -> [Line] {
        var lines: [Line] = []
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            lines.append(finish(rest[rest.startIndex..<end]))
            rest = rest[(end + 1)...]
        }
        keep(rest)
        return lines
    }

    private mutating func finish(_ bytes: ArraySlice<UInt8>) -> Line {
        let line: Line
        if tail.isEmpty, skipped == 0 {
            line = Line(offset: lineOffset, bytes: bytes, size: Int64(bytes.count))
        } else {
            keep(bytes)
            line = Line(offset: lineOffset, bytes: tail[...], size: Int64(tail.count) + skipped)
        }
        lineOffset += line.size + 1
        tail = []
        skipped = 0
        return line
    }

    private mutating func keep(_ bytes: ArraySlice<UInt8>) {
        guard skipped == 0, tail.count + bytes.count <= LineSplitter.maxLineBytes else {
            let whole = Int64(tail.count) + skipped + Int64(bytes.count)
            if tail.count > LineSplitter.keptBytes { tail = Array(tail.prefix(LineSplitter.keptBytes)) }
            skipped = whole - Int64(tail.count)
            return
        }
        tail += bytes
    }
}
