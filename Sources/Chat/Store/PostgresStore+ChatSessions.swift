internal import EventModel
internal import Persistence

/// A session of project chats, with what was said in it.
struct ChatSessionRow: Sendable {
    var sessionID: String
    var caller: String
    var machine: MachineID
    var projectID: String
    /// SHA-256 of all messages.
    var history: [UInt8]
    var usedAt: Timestamp
}

extension PostgresStore {
    func keep(_ row: ChatSessionRow) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: row.sessionID,
                row.caller,
                row.machine,
                row.projectID,
                RawBytes(bytes: row.history),
                row.usedAt
            )
            _ = try connection.query(ChatSessionStatements.keep, parameters)
        }
    }

    func forgetChatSession(_ id: String) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            _ = try connection.query(ChatSessionStatements.forgetOne, Parameters(of: id))
        }
    }

    /// The latest session of the caller with these messages, which is then no longer found.
    func takeChatSession(
        of caller: String,
        in project: String,
        history: [UInt8]
    ) async throws(PersistenceError) -> String? {
        try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: caller, project, RawBytes(bytes: history))
            return try connection.query(ChatSessionStatements.take, parameters).firstValue()
        }
    }
}

/// SQL of the sessions of project chats.
enum ChatSessionStatements {
    static let keep = Statement(
        "keep_chat_session",
        [.text, .text, .int8, .text, .bytea, .timestamptz],
        """
        INSERT INTO chat_sessions (session_id, caller, machine_id, project_id, history, used_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (session_id) DO UPDATE SET caller = EXCLUDED.caller, machine_id = EXCLUDED.machine_id,
            project_id = EXCLUDED.project_id, history = EXCLUDED.history, used_at = EXCLUDED.used_at
        """
    )

    static let take = Statement(
        "take_chat_session",
        [.text, .text, .bytea],
        """
        DELETE FROM chat_sessions WHERE session_id = (
            SELECT session_id FROM chat_sessions WHERE caller = $1 AND project_id = $2 AND history = $3
            ORDER BY used_at DESC LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING session_id
        """
    )

    static let forgetOne = Statement(
        "forget_chat_session",
        [.text],
        "DELETE FROM chat_sessions WHERE session_id = $1"
    )

    static let forget = Statement(
        "forget_chat_sessions",
        [.timestamptz],
        "DELETE FROM chat_sessions WHERE used_at < $1"
    )

    static let erase = [
        Statement("erase_chat_sessions", "DELETE FROM chat_sessions t WHERE \(isErased)"),
        Statement("erase_chat_answers", "UPDATE chat_turns t SET answer = NULL WHERE \(isErased)"),
    ]

    private static let isErased = """
        EXISTS (SELECT FROM erased_sessions s
            WHERE t.machine_id = s.machine_id AND t.session_id IN (s.session_id, s.claude_id))
        """
}
