/// The patch of one file.
struct DiffText: Equatable {
    struct Hunk: Equatable {
        var oldStart: Int
        var oldCount: Int
        var newStart: Int
        var newCount: Int
        /// With the heading.
        var lines: [ArraySlice<UInt8>]

        /// The heading without what follows the second `@@`.
        var range: String { decoded(Hunk.range(lines.first ?? [])) }
        var text: [UInt8] { Array(lines.joined(separator: [UInt8(ascii: "\n")])) }

        static func range(_ line: some Collection<UInt8>) -> [UInt8] {
            let line = Array(line)
            let mark = Array(" @@".utf8)
            for index in line.indices.dropFirst(3) where line[index...].starts(with: mark) {
                return Array(line[..<(index + mark.count)])
            }
            return line
        }
    }

    /// The lines before the first hunk.
    private(set) var heading: [ArraySlice<UInt8>] = []
    private(set) var hunks: [Hunk] = []
    private(set) var additions = 0
    private(set) var deletions = 0

    init(_ text: [UInt8]) {
        // A file whose type has changed has a second heading.
        var isHeading = true
        for line in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            if line.starts(with: Array("@@ ".utf8)), let hunk = DiffText.hunk(line) {
                hunks.append(hunk)
                isHeading = false
            } else if hunks.isEmpty {
                heading.append(line)
            } else if line.starts(with: Array("diff --git ".utf8)) {
                isHeading = true
            } else if !isHeading, let mark = line.first, DiffText.isContent(mark) {
                hunks[hunks.count - 1].lines.append(line)
                if mark == UInt8(ascii: "+") { additions += 1 }
                if mark == UInt8(ascii: "-") { deletions += 1 }
            }
        }
    }

    private static func isContent(_ mark: UInt8) -> Bool {
        [UInt8(ascii: " "), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "\\")].contains(mark)
    }

    private static func hunk(_ line: ArraySlice<UInt8>) -> Hunk? {
        let words = line.split(separator: UInt8(ascii: " ")).prefix(3).map(decoded)
        guard words.count == 3, words[1].hasPrefix("-"), words[2].hasPrefix("+") else { return nil }
        func numbers(_ word: String) -> (Int, Int)? {
            let parts = word.dropFirst().split(separator: ",")
            guard let start = parts.first.flatMap({ Int($0) }) else { return nil }
            return (start, parts.count > 1 ? Int(parts[1]) ?? 0 : 1)
        }
        guard let old = numbers(words[1]), let new = numbers(words[2]) else { return nil }
        return Hunk(oldStart: old.0, oldCount: old.1, newStart: new.0, newCount: new.1, lines: [line])
    }

    var isBinary: Bool {
        let marks = ["Binary files ", "GIT binary patch"].map { Array($0.utf8) }
        return heading.contains { line in marks.contains { line.starts(with: $0) } }
    }

    /// The blobs of the line `index old..new`.
    var blobs: (old: String, new: String)? {
        guard let line = heading.first(where: { $0.starts(with: Array("index ".utf8)) }) else { return nil }
        let word = decoded(line.split(separator: UInt8(ascii: " ")).dropFirst().first ?? [])
        let parts = word.split(separator: ".", omittingEmptySubsequences: true)
        guard parts.count == 2 else { return nil }
        return (String(parts[0]), String(parts[1]))
    }

    static func == (one: DiffText, other: DiffText) -> Bool { one.heading == other.heading && one.hunks == other.hunks }
}
