internal import JSON

/// The permission rule that matches exactly one call.
///
/// Rules are patterns: the rule of a call that could be read as one, or that Claude Code changes before it compares,
/// would match other calls too. `Tests/hooks/exact-cases.tsv` holds cases that the hooks and the web app judge alike.
struct ExactRule: Equatable {
    private static let maximumBytes = 4096
    /// U+FFFD stands for NUL and half a surrogate pair, which cannot be written.
    private static let unreadable: Unicode.Scalar = "\u{FFFD}"

    let tool: String
    let content: String

    /// `nil` if every rule would also match other calls.
    init?(tool: String, input: JSONValue) {
        let content: String?
        switch tool {
        case "Bash":
            self.tool = "Bash"
            content = input["command"]?.string.flatMap(ExactRule.command)
        // Claude Code has a single kind of rule for all tools that change a file.
        case "Edit", "Write", "MultiEdit":
            self.tool = "Edit"
            content = input["file_path"]?.string.flatMap(ExactRule.path)
        case "NotebookEdit":
            self.tool = "Edit"
            content = input["notebook_path"]?.string.flatMap(ExactRule.path)
        case "Read":
            self.tool = "Read"
            content = input["file_path"]?.string.flatMap(ExactRule.path)
        default: return nil
        }
        guard let content else { return nil }
        self.content = content
    }

    private static func command(_ text: String) -> String? {
        let space = UInt8(ascii: " ")
        return isPlain(text) && text.utf8.first != space && text.utf8.last != space ? text : nil
    }

    /// Paths are compared as in `.gitignore`: one that ends in a slash names all files below it, and a blank at the end
    /// is dropped. An absolute path begins with two slashes.
    private static func path(_ text: String) -> String? {
        let bytes = text.utf8
        guard isPlain(text), bytes.first == UInt8(ascii: "/"), !bytes.contains(where: "?[]{}!\\".utf8.contains) else {
            return nil
        }
        let parts = bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !["", ".", ".."].contains(String(Substring($0))) }),
            bytes.last != UInt8(ascii: " ")
        else { return nil }
        return "/" + text
    }

    /// Compares bytes, as the hook does: a `*` before a combining accent is one character of Swift, and still a
    /// pattern.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= maximumBytes && !text.utf8.contains(UInt8(ascii: "*"))
            && text.utf8.last != UInt8(ascii: ":")
            && !text.unicodeScalars.contains { $0 == unreadable || $0.properties.generalCategory == .control }
    }
}
