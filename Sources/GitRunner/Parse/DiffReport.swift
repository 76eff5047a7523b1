/// The output of `git diff --raw --patch`, file by file.
struct DiffReport: Equatable {
    struct File: Equatable {
        var path: GitPath
        var oldPath: GitPath?
        var status: Character
        var oldMode: String
        var newMode: String
        /// Blobs; only zeros where git has not computed one.
        var oldBlob: String
        var newBlob: String
        var text: [UInt8] = []
        var isConflicted = false
        var isCut = false

        var isBinary: Bool { DiffText(text).isBinary }
    }

    private(set) var files: [File] = []

    init(_ bytes: [UInt8], isCut: Bool = false) {
        var rest = bytes[...]
        while rest.first == UInt8(ascii: ":"), let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            if let file = DiffReport.file(rest[..<end]) { files.append(file) }
            rest = rest[(end + 1)...]
        }
        assign(DiffReport.pieces(rest), isCut)
        mergeConflicts()
    }

    /// Gives each file its text. A change of the type has two: of the file's end and of its beginning.
    private mutating func assign(_ pieces: [ArraySlice<UInt8>], _ isCut: Bool) {
        var next = 0
        for index in files.indices {
            let count = files[index].status == "T" ? 2 : 1
            let end = min(next + count, pieces.count)
            files[index].text = Array(pieces[next..<end].joined())
            files[index].isCut = isCut && end == pieces.count
            if let blobs = DiffText(files[index].text).blobs, count == 1 {
                (files[index].oldBlob, files[index].newBlob) = blobs
            }
            next = end
        }
    }

    /// A file in conflict is listed twice: as such, and with what differs from this side.
    private mutating func mergeConflicts() {
        let conflicts = Set(files.filter { $0.status == "U" }.map(\.path))
        guard !conflicts.isEmpty else { return }
        let changed = Set(files.filter { $0.status != "U" }.map(\.path))
        files.removeAll { $0.status == "U" && changed.contains($0.path) }
        for index in files.indices where conflicts.contains(files[index].path) { files[index].isConflicted = true }
    }

    /// `:100644 100755 <blob> <blob> R90\told\tnew`
    private static func file(_ line: ArraySlice<UInt8>) -> File? {
        let parts = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
        let words = parts.first?.dropFirst().split(separator: UInt8(ascii: " ")).map(decoded) ?? []
        guard parts.count >= 2, words.count == 5, let status = words[4].first else { return nil }
        let paths = parts.dropFirst().map { GitPath(QuotedName.read($0)) }
        return File(
            path: paths[paths.count - 1],
            oldPath: paths.count > 1 ? paths[0] : nil,
            status: status,
            oldMode: words[0],
            newMode: words[1],
            oldBlob: words[2],
            newBlob: words[3]
        )
    }

    /// Lines of a hunk begin with a space, `+`, `-` or a backslash, so no line of a file is taken for a heading.
    private static func pieces(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        let headings = ["diff --git ", "diff --cc ", "diff --combined ", "* Unmerged path "].map { Array($0.utf8) }
        var starts: [Int] = []
        var line = text.startIndex
        while line < text.endIndex {
            if headings.contains(where: { text[line...].starts(with: $0) }) { starts.append(line) }
            line = text[line...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.endIndex
        }
        return zip(starts, starts.dropFirst() + [text.endIndex]).map { text[$0..<$1] }
    }
}

/// A name as git writes it in patches: in quotes, with escapes, if it contains unusual characters.
enum QuotedName {
    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8, UInt8(ascii: "t"): 9, UInt8(ascii: "n"): 10, UInt8(ascii: "v"): 11,
        UInt8(ascii: "f"): 12, UInt8(ascii: "r"): 13,
    ]

    static func read(_ text: ArraySlice<UInt8>) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        guard text.count >= 2, text.first == quote, text.last == quote else { return Array(text) }
        var name: [UInt8] = []
        var rest = text.dropFirst().dropLast()
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
                name.append(byte)
                continue
            }
            if (0x30...0x37).contains(next), rest.count >= 2 {
                let digits = [next, rest.removeFirst(), rest.removeFirst()]
                name.append(UInt8(truncatingIfNeeded: digits.reduce(0) { $0 * 8 + Int($1) - 0x30 }))
            } else {
                name.append(escapes[next] ?? next)
            }
        }
        return name
    }
}
