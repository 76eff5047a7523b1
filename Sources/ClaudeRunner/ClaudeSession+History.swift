/// The conversation that a session begins with.
extension ClaudeSession {
    /// Seconds in which the client takes one message.
    private static let loadSeconds = 20.0

    /// Loads what was said before. The session must be idle, and new.
    package func load(_ history: [ChatStart.Message]) async throws(ClaudeError) {
        for (number, message) in history.enumerated() {
            try await load(message, as: "history-\(number)", seconds: ClaudeSession.loadSeconds)
        }
    }
}
