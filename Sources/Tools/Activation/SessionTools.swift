internal import API
internal import EventModel
internal import JSON
internal import Persistence

/// The MCP servers and tools that a session is left with.
struct SessionTools: Sendable {
    var sessionID: String
    var limits: ToolLimits
    /// The rules by which the session's process denies the others.
    var denied: [String]
    /// The name of the principal in the audit log; `nil` if nobody has set anything.
    var setBy: String?
    var setAt: Timestamp?
}

extension SessionTools {
    static let shape = ObjectShape<SessionTools>("SessionTools") { it in
        it.member("session_id") { $0.sessionID }
        it.memberOrNull("enabled_servers", as: names) { $0.limits.servers }
        it.memberOrNull("enabled_tools", as: names) { $0.limits.tools }
        it.memberOrNull("priority", as: names) { $0.limits.priority }
        it.member("denied") { $0.denied }
        it.member("set_by") { $0.setBy }
        it.member("set_at") { $0.setAt }
    }

    private static let names = JSONSchema.nullable(JSONSchema.texts)
}

extension PostgresStore {
    func keep(_ tools: SessionTools, on machine: MachineID) async throws(PersistenceError) {
        try await run { connection throws(PersistenceError) in
            let denied = JSONValue.array(tools.denied.map(JSONValue.string)).encoded
            let parameters = Parameters(
                of: tools.sessionID,
                machine,
                tools.limits.stored,
                String(decoding: denied, as: UTF8.self),
                tools.setBy,
                tools.setAt
            )
            _ = try connection.query(SessionToolStatements.keep, parameters)
        }
    }

    func sessionTools(of session: String) async throws(PersistenceError) -> SessionTools? {
        try await run { connection throws(PersistenceError) in
            guard let row = try connection.query(SessionToolStatements.find, Parameters(of: session)).firstRow else {
                return nil
            }
            let (limits, denied, setBy, setAt): (String, String, String, Timestamp) = try row.values()
            let rules = (try? JSONValue.parse(Array(denied.utf8)))?.array?.compactMap(\.string) ?? []
            return SessionTools(
                sessionID: session,
                limits: ToolLimits(stored: limits),
                denied: rules,
                setBy: setBy,
                setAt: setAt
            )
        }
    }
}

/// SQL of the tools that sessions are left with.
enum SessionToolStatements {
    static let find = Statement(
        "session_tools",
        [.text],
        "SELECT limits, denied, set_by, set_at FROM session_tools WHERE session_id = $1"
    )

    static let keep = Statement(
        "keep_session_tools",
        [.text, .int8, .text, .text, .text, .timestamptz],
        """
        INSERT INTO session_tools (session_id, machine_id, limits, denied, set_by, set_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT (session_id) DO UPDATE SET machine_id = EXCLUDED.machine_id, limits = EXCLUDED.limits,
            denied = EXCLUDED.denied, set_by = EXCLUDED.set_by, set_at = EXCLUDED.set_at
        """
    )

    static let forget = Statement(
        "forget_session_tools",
        [.timestamptz],
        "DELETE FROM session_tools WHERE set_at < $1"
    )

    static let erase = Statement(
        "erase_session_tools",
        """
        DELETE FROM session_tools t WHERE EXISTS (SELECT FROM erased_sessions s
            WHERE t.machine_id = s.machine_id AND t.session_id IN (s.session_id, s.claude_id))
        """
    )
}
