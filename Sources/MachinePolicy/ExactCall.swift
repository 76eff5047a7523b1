internal import JSON

/// Decides which calls have an exact permission rule, one that matches no other call: the rules of hooks/lib/exact.awk.
/// Tests/hooks/exact-cases.tsv has the common test cases.
package enum ExactCall {
    /// The command of this call of Bash, or `nil` if no rule matches only this call.
    package static func command(of call: PromptCall) -> String? {
        guard call.tool == "Bash", let command = call.input["command"]?.string, isPlain(command),
            let first = command.utf8.first, let last = command.utf8.last,
            !" \t".utf8.contains(first), !" \t".utf8.contains(last)
        else { return nil }
        return command
    }

    /// The path of the file of this call, or `nil` if no rule matches only this file.
    package static func path(of call: PromptCall) -> String? {
        guard ["Read", "Edit", "Write", "MultiEdit", "NotebookEdit"].contains(call.tool),
            let path = call.input[call.tool == "NotebookEdit" ? "notebook_path" : "file_path"]?.string,
            isPlain(path), path.hasPrefix("/"), !path.utf8.contains(where: { "?!{}\\[]".utf8.contains($0) })
        else { return nil }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard parts.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }), !path.hasSuffix(" ") else { return nil }
        return path
    }

    /// A character that the parser could not read stands for itself only in the text of the call.
    private static func isPlain(_ text: String) -> Bool {
        (1...4096).contains(text.utf8.count) && !text.hasSuffix(":") && !text.unicodeScalars.contains("\u{FFFD}")
            && !text.utf8.contains { $0 < 32 || $0 == 127 || $0 == UInt8(ascii: "*") }
    }
}
