/// Determines the type of a notification without `notification_type` from its message.
public enum NotificationType {
    public static let permissionPrompt = "permission_prompt"
    public static let idlePrompt = "idle_prompt"
    public static let needsInput = "agent_needs_input"

    /// Words that occur in a message, in lower case, and the type of such a message.
    private static let wordings: [(words: String, type: String)] = [
        ("needs your permission", permissionPrompt),
        ("needs your approval", permissionPrompt),
        ("wants to enter plan mode", permissionPrompt),
        ("waiting for your input", idlePrompt),
        ("needs your input", needsInput),
        ("needs your attention", needsInput),
    ]

    /// Longer messages are not searched, because the messages of these notifications are short.
    private static let maximumBytes = 400

    /// Returns the documented type of a notification with this message, or `nil` if the type is unknown.
    public static func type(ofMessage message: String) -> String? {
        guard message.utf8.count <= maximumBytes else { return nil }
        let message = message.lowercased()
        return wordings.first { message.contains($0.words) }?.type
    }
}
