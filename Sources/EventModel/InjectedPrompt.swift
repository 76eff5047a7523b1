/// Prompts that Claude Code gives itself; nobody typed them.
public enum InjectedPrompt {
    /// How they open, behind white space.
    public static let openings: [String] = [
        "<task-notification", "<system-reminder", "<local-command-", "<bash-stdout", "<bash-stderr",
        "<teammate-message",
        "<background-task",
    ]

    /// - Parameter source: the hook's `source`, where it names one.
    public static func isInjected(_ prompt: String, source: String?) -> Bool {
        if let source, source != "user", source != "sdk" { return true }
        let text = prompt.drop { $0.isWhitespace }
        return openings.contains { text.hasPrefix($0) }
    }
}
