internal import JSON

/// The permission rule that matches exactly one call.
///
/// Rules are patterns: the rule of a call that could be read as one, or that Claude Code changes before it compares,
/// would match other calls too. `Tests/hooks/exact-cases.tsv` holds cases that the hooks and the web app judge alike.
struct ExactRule: Equatable {
    private static let maximumBytes = 4096

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
        isPlain(text) && !text.hasPrefix(" ") && !text.hasSuffix(" ") ? text : nil
    }

    /// Paths are compared as in `.gitignore`: one that ends in a slash names all files below it, and a blank at the end
    /// is dropped. An absolute path begins with two slashes.
    private static func path(_ text: String) -> String? {
        guard isPlain(text), text.hasPrefix("/"), !text.contains(where: { "?[]{}!\\".contains($0) }) else { return nil }
        let parts = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ !["", ".", ".."].contains($0) }), !text.hasSuffix(" ") else { return nil }
        return "/" + text
    }

    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= maximumBytes && !text.contains("*") && !text.hasSuffix(":")
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
