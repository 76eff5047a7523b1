/// A search for a text in the files below a directory. Reads by descriptors, so that no link leads it elsewhere.
package struct ContentSearch: Sendable {
    package struct Limits: Sendable {
        package var hits = 1000
        package var bytes: Int64 = 256 << 20
        /// Larger files are left out.
        package var fileBytes: Int64 = 16 << 20
        /// The bytes of a line that are shown.
        package var lineBytes = 240

        package init() {}
    }

    package struct Hit: Sendable, Equatable {
        package let path: [UInt8]
        /// From 1.
        package let line: Int
        /// The byte in the line, from 1.
        package let column: Int
        /// The line, or the part of it around the hit.
        package let text: [UInt8]
    }

    package enum End: String, Sendable {
        case hits = "too_many_hits"
        case bytes = "too_many_bytes"
        case time = "timeout"
        /// Something could not be read, or is too large or too deep.
        case skipped
    }

    package struct Result: Sendable {
        package var hits: [Hit] = []
        package var files = 0
        package var bytes: Int64 = 0
        /// Why it did not look everywhere; `nil` if it did.
        package var end: End?
    }

    private let text: [UInt8]
    private let ignoresCase: Bool
    private let limits: Limits
    private static let newline = UInt8(ascii: "\n")

    /// - Parameter ignoresCase: for letters of ASCII.
    package init(_ text: [UInt8], ignoresCase: Bool, limits: Limits = Limits()) {
        self.text = ignoresCase ? text.map(\.folded) : text
        (self.ignoresCase, self.limits) = (ignoresCase, limits)
    }

    /// - Parameters:
    ///   - isHidden: whether a file's content may not be read, by its path below the directory.
    ///   - mayContinue: whether there is still time.
    package func run(
        in directory: OpenedFile,
        skipping: Set<[UInt8]>,
        ignored: @escaping (RelativePath) -> Set<[UInt8]>,
        isHidden: @escaping (RelativePath) -> Bool,
        mayContinue: @escaping () -> Bool
    ) -> Result {
        var result = Result()
        let walk = TreeWalk(ignored: ignored, mayContinue: mayContinue) { parent, name, kind, place in
            let path = parent.appending(name)
            guard kind == .file, !isHidden(path) else { return true }
            guard mayContinue() else { return false }
            look(name, place, path.bytes, &result)
            return result.end == nil || result.end == .skipped
        }
        let isWhole = walk.run(directory, skipping: skipping)
        if result.end == nil || result.end == .skipped {
            if !mayContinue() { result.end = .time } else if !isWhole { result.end = .skipped }
        }
        return result
    }

    private func look(_ name: [UInt8], _ place: DirectoryStream, _ path: [UInt8], _ result: inout Result) {
        guard let file = try? place.open(name), let status = try? file.status, status.kind == .file else { return }
        guard status.size <= limits.fileBytes else {
            result.end = .skipped
            return
        }
        guard result.bytes + status.size <= limits.bytes else {
            result.end = .bytes
            return
        }
        guard let content = try? file.read(from: 0, count: Int(status.size)) else { return }
        result.files += 1
        result.bytes += Int64(content.count)
        // As git tells text from other content.
        guard !content.prefix(8000).contains(0) else { return }
        find(in: content, path, &result)
    }

    private func find(in content: [UInt8], _ path: [UInt8], _ result: inout Result) {
        let subject = ignoresCase ? content.map(\.folded) : content
        let span = subject.span
        var line = 1
        var lineStart = 0
        var counted = 0
        var position = 0
        while position + text.count <= span.count,
            let place = NameSearch.first(text.span, in: span.extracting(position..<span.count))
        {
            let start = position + place
            for index in counted..<start where span[index] == ContentSearch.newline {
                line += 1
                lineStart = index + 1
            }
            counted = start
            let end = ContentSearch.end(of: span, from: start)
            let shown = part(lineStart, start, end)
            result.hits.append(Hit(path: path, line: line, column: start - lineStart + 1, text: Array(content[shown])))
            guard result.hits.count < limits.hits else {
                result.end = .hits
                return
            }
            // One hit a line.
            position = end
        }
    }

    private static func end(of text: Span<UInt8>, from start: Int) -> Int {
        var end = start
        while end < text.count, text[end] != newline { end += 1 }
        return max(end, start + 1)
    }

    /// The part of the line that is shown.
    private func part(_ lineStart: Int, _ hit: Int, _ end: Int) -> Range<Int> {
        guard end - lineStart > limits.lineBytes else { return lineStart..<end }
        let start = max(lineStart, min(hit - limits.lineBytes / 3, end - limits.lineBytes))
        return start..<min(end, start + limits.lineBytes)
    }
}
