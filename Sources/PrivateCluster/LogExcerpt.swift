/// The end of PostgreSQL's log output, safe to display.
enum LogExcerpt {
    /// Lines that can quote client data. The other lines explain a failed start.
    private static let withheld = [" ERROR:", " DETAIL:", " STATEMENT:", " CONTEXT:", " QUERY:"]

    /// At most `count` lines and 2,000 characters.
    static func lastLines(of text: some StringProtocol, count: Int = 8) -> String {
        let lines = text.split(whereSeparator: \.isNewline).filter { line in
            !withheld.contains { line.contains($0) }
        }
        return String(lines.suffix(count).joined(separator: "\n").suffix(2000))
    }

    /// The text from the last line in which a server reports that it is starting.
    static func lastStart(in text: String) -> Substring {
        guard let start = text.ranges(of: "starting PostgreSQL").last else { return text[...] }
        let lineStart = text[..<start.lowerBound].lastIndex(where: \.isNewline)
        return lineStart.map { text[text.index(after: $0)...] } ?? text[...]
    }
}
