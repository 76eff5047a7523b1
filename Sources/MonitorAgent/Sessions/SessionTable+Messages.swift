internal import ClaudeRunner
internal import JSON

/// What becomes of the messages to sessions.
extension SessionTable {
    func messages(_ ids: [String], _ progress: MessageProgress, in key: String) -> [Action] {
        guard isGreeted, let line = lines[key] else { return [] }
        return ids.map { id in
            .notify("message/state", SessionTable.message(id, progress, of: line))
        }
    }

    private static func message(_ id: String, _ progress: MessageProgress, of line: Line) -> JSONValue {
        .object([
            ("session_id", .string(line.id)), ("message_id", .string(id)), ("state", .string(progress.rawValue)),
        ])
    }

    /// The session's process has ended before it took these messages up.
    mutating func lost(_ messages: [String], in key: String) -> [Action] {
        guard let line = lines[key] else { return [] }
        return messages.flatMap { say("message/state", SessionTable.message($0, .cancelled, of: line)) }
    }
}
