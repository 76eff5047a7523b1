/// Prompts that Claude Code writes itself. No person typed them.
public enum InjectedPrompt {
    /// The first characters of such prompts, after white space.
    private static let openings = [
        "<task-notification", "<system-reminder", "<local-command-", "<bash-stdout", "<bash-stderr",
        "<teammate-message",
        "<background-task",
    ]

    /// - Parameter source: the hook's `source`, if it has one.
    public static func isInjected(_ prompt: String, source: String?) -> Bool {
        isInjected(Array(prompt.utf8).span, source: source)
    }

    /// - Parameter prompt: UTF-8.
    public static func isInjected(_ prompt: Span<UInt8>, source: String?) -> Bool {
        if let source, source != "user", source != "sdk" { return true }
        var start = 0
        while start < prompt.count, prompt[start] <= 0x20 { start += 1 }
        for opening in openings where has(opening, prompt, at: start) { return true }
        return false
    }

    private static func has(_ opening: String, _ prompt: Span<UInt8>, at start: Int) -> Bool {
        guard prompt.count - start >= opening.utf8.count else { return false }
        var index = start
        for byte in opening.utf8 {
            guard prompt[index] == byte else { return false }
            index += 1
        }
        return true
    }
}
