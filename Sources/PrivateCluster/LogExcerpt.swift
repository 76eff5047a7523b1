/// The end of what PostgreSQL said, fit to be shown.
enum LogExcerpt {
    /// Lines that can quote what a client sent; a failed start is told by the others.
    private static let withheld = [" ERROR:", " DETAIL:", " STATEMENT:", " CONTEXT:", " QUERY:"]

    /// At most `count` lines and 2,000 characters.
    static func lastLines(of text: some StringProtocol, count: Int = 8) -> String {
        let lines = text.split(whereSeparator: \.isNewline).filter { line in
            !withheld.contains { line.contains($0) }
        }
        return String(lines.suffix(count).joined(separator: "\n").suffix(2000))
    }

    /// From the line on in which a server says that it starts.
    static func lastStart(in text: String) -> Substring {
        guard let start = text.ranges(of: "starting PostgreSQL").last else { return text[...] }
        let lineStart = text[..<start.lowerBound].lastIndex(where: \.isNewline)
        return lineStart.map { text[text.index(after: $0)...] } ?? text[...]
    }
}
