/// Git's own words, for people.
enum GitWords {
    private static let limit = 4096

    /// Without passwords in addresses, and without lines that advise what to type.
    static func shown(_ bytes: [UInt8]) -> String {
        let lines = String(decoding: bytes.prefix(limit), as: UTF8.self)
            .split(omittingEmptySubsequences: true) { $0 == "\n" || $0 == "\r" || $0 == "\r\n" }
            .filter { !$0.hasPrefix("hint: ") && $0 != "hint:" }
        return lines.map { plain(Substring(masked(String($0)))) }.joined(separator: "\n")
    }

    private static func plain(_ line: Substring) -> String {
        String(String.UnicodeScalarView(line.unicodeScalars.filter { $0.value >= 32 && $0.value != 127 || $0 == "\t" }))
    }

    static func failure(_ words: String, output: String) -> GitError {
        let all = words + "\n" + output
        if words.contains("not a git repository") { return .notARepository }
        if words.contains(".lock': File exists") || words.contains("Another git process seems to be running") {
            return .busy(words)
        }
        let isConflict = [
            "CONFLICT (", "unmerged files", "needs merge", "is unmerged", "you need to resolve your current index",
            "You have not concluded your merge", "fix conflicts",
        ].contains { all.contains($0) }
        let shown = words.isEmpty ? output : words
        let said = shown.isEmpty ? "Git failed and said nothing." : shown
        return isConflict ? .conflict(said) : .failed(said)
    }

    /// The text without user names and passwords in addresses such as `https://name:password@host/`.
    static func masked(_ text: String) -> String {
        guard text.contains("://"), text.contains("@") else { return text }
        var result = ""
        var rest = text[...]
        while let scheme = rest.firstRange(of: "://") {
            result += rest[..<scheme.upperBound]
            rest = rest[scheme.upperBound...]
            let authority = rest.prefix { $0 != "/" && !$0.isWhitespace && $0 != "'" && $0 != "\"" }
            if let at = authority.lastIndex(of: "@") {
                result += "***"
                rest = rest[at...]
            }
        }
        return result + rest
    }
}
