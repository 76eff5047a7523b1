/// Text of a conversation as a quotation in a Markdown document (CommonMark 0.31). The text keeps its own formatting,
/// but has no headings and no rules, and cannot leave the quotation. So it cannot look like a part of the document.
struct ContainedMarkdown {
    /// An open code block: its fence, and the column at which its lines begin.
    private struct Fence {
        var mark: Unicode.Scalar
        var length: Int
        var column: Int
    }

    private var fence: Fence?
    /// Set where a reader of Markdown may disagree on what is code. From there on, nothing counts as code.
    private var isUnsure = false

    private init() {}

    static func quoted(_ text: String) -> String {
        var reader = ContainedMarkdown()
        var quoted = ""
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            let line = reader.line(line.unicodeScalars)
            quoted += line.isEmpty ? ">\n" : "> \(line)\n"
        }
        return quoted + "\n"
    }

    /// One line within a paragraph, a heading or a list. Its marks of formatting mean themselves.
    static func inline(_ text: String) -> String {
        var line = ""
        for character in text.split(whereSeparator: \.isNewline).joined(separator: " ") {
            if "\\`*_[]<&".contains(character) { line += "\\" }
            line.append(character)
        }
        return line
    }

    private mutating func line(_ line: Substring.UnicodeScalarView) -> String {
        let start = LineStart(line)
        let rest = line[start.index...]
        let run = FenceRun(rest)
        if let open = fence {
            if start.isBlank { return String(line) }
            if start.column >= open.column, !start.hasMark || open.column == 0 {
                if let run, run.mark == open.mark, run.length >= open.length, run.isBare, !start.hasMark {
                    // With more spaces it depends on the list whether the run ends the block.
                    isUnsure = isUnsure || (start.column > 3 && open.column > 0)
                    if start.column <= 3 { fence = nil }
                }
                if !isUnsure { return String(line) }
            }
            // The list that holds the block may have ended here.
            (fence, isUnsure) = (nil, true)
        }
        if let run, run.opens, !isUnsure {
            if start.isQuoted || start.spaces > 3 {
                isUnsure = true
            } else {
                fence = Fence(mark: run.mark, length: run.length, column: start.column)
            }
        }
        return ContainedMarkdown.plain(line, from: start.index)
    }

    /// The line without headings, rules and HTML.
    private static func plain(_ line: Substring.UnicodeScalarView, from start: String.Index) -> String {
        let rest = line[start...]
        var plain = String(line[..<start])
        if isHeading(rest) || isUnderlineOrRule(rest) { plain += "\\" }
        for index in rest.indices {
            let isTag = rest[index] == "<" && HTMLTag.begins(rest[index...].dropFirst(), atLineStart: index == start)
            if isTag { plain += "\\" }
            plain.unicodeScalars.append(rest[index])
        }
        return plain
    }

    private static func isHeading(_ rest: Substring.UnicodeScalarView) -> Bool {
        let level = rest.prefix { $0 == "#" }
        let next = rest[level.endIndex...].first
        return (1...6).contains(level.count) && (next == nil || next == " " || next == "\t")
    }

    /// Whether the line makes the one before it a heading, or is a rule.
    private static func isUnderlineOrRule(_ rest: Substring.UnicodeScalarView) -> Bool {
        guard let mark = rest.first, "=-*_".unicodeScalars.contains(mark) else { return false }
        return rest.allSatisfy { $0 == mark || $0 == " " || $0 == "\t" }
    }
}

/// What precedes the text of a line: spaces, and the marks of lists and quotations.
private struct LineStart {
    /// Where the text begins.
    var index: String.Index
    /// The column at which the text begins.
    var column = 0
    /// The spaces after the last mark.
    var spaces = 0
    var hasMark = false
    var isQuoted = false
    var isBlank: Bool

    init(_ line: Substring.UnicodeScalarView) {
        index = line.startIndex
        while index < line.endIndex {
            let scalar = line[index]
            let next = line.index(after: index)
            if scalar == " " || scalar == "\t" {
                spaces += scalar == " " ? 1 : 4 - column % 4
                column += scalar == " " ? 1 : 4 - column % 4
                index = next
            } else if scalar == ">" {
                (isQuoted, hasMark, spaces) = (true, true, 0)
                (index, column) = (next, column + 1)
            } else if let end = LineStart.listMark(line[index...]) {
                (hasMark, spaces) = (true, 0)
                column += line[index..<end].count
                index = end
            } else {
                break
            }
        }
        isBlank = index == line.endIndex && !hasMark
    }

    /// The end of a list's mark that a space follows.
    private static func listMark(_ rest: Substring.UnicodeScalarView) -> String.Index? {
        let digits = rest.prefix { ("0"..."9").contains($0) }
        let after = rest[digits.endIndex...]
        guard let mark = after.first, digits.count <= 9 else { return nil }
        let isMark = digits.isEmpty ? "-+*".unicodeScalars.contains(mark) : mark == "." || mark == ")"
        let end = after.index(after: after.startIndex)
        guard isMark, end < after.endIndex, after[end] == " " || after[end] == "\t" else { return nil }
        // A line of marks is a rule.
        return rest.allSatisfy { $0 == mark || $0 == " " || $0 == "\t" } ? nil : end
    }
}

/// A run of three or more backticks or tildes at the beginning of a text.
private struct FenceRun {
    var mark: Unicode.Scalar
    var length: Int
    /// Whether nothing follows, so that it can end a block.
    var isBare: Bool
    /// Whether it can begin a block.
    var opens: Bool

    init?(_ rest: Substring.UnicodeScalarView) {
        guard let mark = rest.first, mark == "`" || mark == "~" else { return nil }
        let run = rest.prefix { $0 == mark }
        guard run.count >= 3 else { return nil }
        let info = rest[run.endIndex...]
        (self.mark, length) = (mark, run.count)
        isBare = info.allSatisfy { $0 == " " || $0 == "\t" }
        opens = mark == "~" || !info.contains("`")
    }
}

/// The HTML that a Markdown reader may pass on.
private enum HTMLTag {
    /// Elements that change the structure or the look of what follows. Others, like `<T>` in prose about code, do not.
    private static let names: Set<String> = [
        "a", "address", "article", "aside", "base", "big", "blockquote", "body", "br", "button", "center", "dd",
        "details",
        "dialog", "div", "dl", "dt", "fieldset", "figure", "font", "footer", "form", "frame", "frameset", "h1", "h2",
        "h3",
        "h4", "h5", "h6", "head", "header", "hgroup", "hr", "html", "iframe", "img", "input", "li", "link", "main",
        "marquee", "math", "menu", "meta", "nav", "noscript", "object", "ol", "p", "plaintext", "pre", "script",
        "section",
        "small", "span", "strong", "style", "sub", "summary", "sup", "svg", "table", "tbody", "td", "template",
        "textarea",
        "tfoot", "th", "thead", "title", "tr", "ul", "video", "xmp",
    ]

    /// - Parameter rest: what follows `<`.
    static func begins(_ rest: Substring.UnicodeScalarView, atLineStart: Bool) -> Bool {
        let name = rest.first == "/" ? rest.dropFirst() : rest
        guard let first = name.first else { return false }
        if first == "!" || first == "?" { return true }
        guard first.isASCII, first.properties.isAlphabetic else { return false }
        if atLineStart { return true }
        let word = name.prefix { $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil) }
        return names.contains(String(word).lowercased())
    }
}
