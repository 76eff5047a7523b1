internal import API
internal import EventModel
internal import Persistence

extension PostgresStore {
    func toolLimits(of session: String) async throws(PersistenceError) -> ToolLimits? {
        try await run { connection throws(PersistenceError) in
            let stored: String? = try connection.query(ToolLimitStatements.find, Parameters(of: session)).firstValue()
            return stored.map(ToolLimits.init(stored:))
        }
    }

    /// Forgets the session if nothing is taken away from it.
    func keep(
        _ limits: ToolLimits,
        of session: String,
        on machine: MachineID,
        at time: Timestamp
    ) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            if limits.isEmpty {
                _ = try connection.query(ToolLimitStatements.remove, Parameters(of: session))
            } else {
                let parameters = Parameters(of: session, machine, limits.stored, time)
                _ = try connection.query(ToolLimitStatements.keep, parameters)
            }
        }
    }
}

/// SQL of the tools that the sessions of project chats are left with.
enum ToolLimitStatements {
    static let find = Statement(
        "chat_tool_limits",
        [.text],
        "SELECT limits FROM chat_tool_limits WHERE session_id = $1"
    )

    static let keep = Statement(
        "keep_chat_tool_limits",
        [.text, .int8, .text, .timestamptz],
        """
        INSERT INTO chat_tool_limits (session_id, machine_id, limits, used_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (session_id) DO UPDATE SET machine_id = EXCLUDED.machine_id, limits = EXCLUDED.limits,
            used_at = EXCLUDED.used_at
        """
    )

    static let remove = Statement(
        "remove_chat_tool_limits",
        [.text],
        "DELETE FROM chat_tool_limits WHERE session_id = $1"
    )

    /// Long after the last message of a chat.
    static let forget = Statement(
        "forget_chat_tool_limits",
        [.timestamptz],
        "DELETE FROM chat_tool_limits WHERE used_at < $1"
    )

    static let erase = Statement(
        "erase_chat_tool_limits",
        """
        DELETE FROM chat_tool_limits t WHERE EXISTS (SELECT FROM erased_sessions s
            WHERE t.machine_id = s.machine_id AND t.session_id IN (s.session_id, s.claude_id))
        """
    )
}
