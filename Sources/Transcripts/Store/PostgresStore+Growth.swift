package import EventModel
package import Persistence

extension PostgresStore {
    /// The maximum number of hook events that are compared with the lines of one event.
    static let comparedHooks = 5000

    /// Returns the messages whose lines an event reports, without those that hooks have reported before. Only stored
    /// lines are read, so the result is always the same. It is empty if the event reports no news.
    package func grownMessages(_ event: CommittedEvent) async throws(PersistenceError) -> GrownMessages {
        guard let growth = TranscriptGrowth(event), growth.isNews, let logged = event.event.sessionID else {
            return GrownMessages()
        }
        return try await run { connection throws(PersistenceError) in
            let wanted = Parameters(of: event.event.receivedAt, growth.sessionID, event.event.machine)
            let rows = try connection.query(GrowthStatements.lines, wanted)
            var lines: [(place: ConversationPlace, line: [UInt8])] = []
            for row in rows.rows {
                let place = try row.make(ConversationPlace.init(at:line:))
                lines.append((place, try row.value(2)))
            }
            guard let first = lines.map(\.place.at).min(), let last = lines.map(\.place.at).max() else {
                return GrownMessages()
            }
            let limit = Int64(PostgresStore.comparedHooks)
            let asked = Parameters(
                of: logged,
                event.seq,
                first.adding(seconds: -GrowthStatements.tolerance),
                last.adding(seconds: GrowthStatements.tolerance),
                limit
            )
            let hooks = try connection.query(GrowthStatements.hooks, asked).map(GrowthStatements.hook)
            return GrownMessages(lines, told: ToldByHooks(hooks, isCut: hooks.count == PostgresStore.comparedHooks))
        }
    }

    /// Returns the transcript events among the last `events` events of each session before `seq`, oldest first.
    /// `age` is the number of events that the session has between this one and `seq`.
    package func growth(
        of sessions: Set<String>,
        before seq: Int64,
        events: Int
    ) async throws(PersistenceError) -> [(age: Int, event: CommittedEvent)] {
        guard !sessions.isEmpty else { return [] }
        return try await run { connection throws(PersistenceError) in
            let parameters = Parameters(of: sessions, seq, Int64(events))
            return try connection.query(GrowthStatements.before, parameters).map { row throws(PersistenceError) in
                (age: Int(try row.value(7) as Int64), event: try GrowthStatements.hook(row))
            }
        }
    }
}

private enum GrowthStatements {
    /// The maximum number of seconds between a line and its hook.
    static let tolerance = 60.0
    /// Maximum bytes of all lines that one event sends, and of one line. Longer lines are not sent.
    private static let lineBytes = 1 << 20
    private static let longestLine = 256 << 10

    /// The time of receipt is that of one piece.
    static let lines = Statement(
        "grown_lines",
        [.timestamptz, .text, .int8],
        """
        SELECT at, id, line FROM (
            SELECT at, id, line, line_offset, file_id,
                sum(octet_length(line)) OVER (ORDER BY file_id, line_offset) AS bytes
            FROM transcript_lines
            WHERE received_at = $1 AND session_id = $2 AND machine_id = $3 AND is_message AND agent_id IS NULL
                AND octet_length(line) <= \(longestLine)
        ) AS l WHERE bytes <= \(lineBytes) ORDER BY file_id, line_offset
        """
    )

    /// Selects payloads only if they hold a text.
    private static func columns(_ payload: String) -> String {
        "e.seq, e.event_id, e.type, e.occurred_at, e.session_id, e.facts, \(payload)"
    }

    static let hooks = Statement(
        "hooks_of_growth",
        [.text, .int8, .timestamptz, .timestamptz, .int8],
        """
        SELECT \(columns("CASE WHEN e.type IN ('prompt', 'stop') THEN e.payload ELSE '{}' END")) FROM events e
        WHERE e.session_id = $1 AND e.seq < $2 AND e.occurred_at BETWEEN $3 AND $4
            AND e.type IN (\(ConversationMessage.hookTypes.map { "'\($0.rawValue)'" }.sorted().joined(separator: ", ")))
        ORDER BY e.seq DESC LIMIT $5
        """
    )

    static let before = Statement(
        "growth_before",
        [.textArray, .int8, .int8],
        """
        SELECT \(columns("e.payload")), e.age FROM unnest($1) AS s (session_id) CROSS JOIN LATERAL (
            SELECT *, row_number() OVER (ORDER BY seq DESC) - 1 AS age FROM (
                SELECT * FROM events WHERE session_id = s.session_id AND seq < $2 ORDER BY seq DESC LIMIT $3) AS last
        ) AS e WHERE e.type = 'transcript' ORDER BY e.seq
        """
    )

    /// Decodes the event with the fields that the columns contain.
    static func hook(_ row: PQRow) throws(PersistenceError) -> CommittedEvent {
        let (seq, id, type, at, session): (Int64, EventID, EventType, Timestamp, String) = try row.values()
        let (facts, payload): ([UInt8]?, [UInt8]) = try row.values(from: 5)
        let event = MonitorEvent(
            id: id,
            type: type,
            hookEventName: nil,
            timestamp: at,
            receivedAt: at,
            machine: MachineID(rawValue: 0),
            machineName: "",
            sessionID: session,
            projectPath: nil,
            toolName: nil,
            summary: "",
            payload: payload,
            facts: facts.map { SessionFacts(stored: $0) } ?? SessionFacts()
        )
        return CommittedEvent(seq: seq, event: event, workspaceID: nil)
    }
}
