internal import EventModel
internal import JSON
package import Persistence

extension PostgresStore {
    /// Messages that a transcript tells. A session whose transcript is not known has none.
    package func conversation(_ query: ConversationQuery) async throws(PersistenceError) -> ConversationPage {
        try await run { connection throws(PersistenceError) in
            let place = query.after
            let earliest = Timestamp(microseconds: 0)
            let latest = Timestamp(microseconds: 253_402_300_799_000_000)
            let parameters = Parameters(
                of: query.sessionID,
                query.machine.rawValue,
                query.agentID,
                place?.at ?? (query.isDescending ? latest : earliest),
                place?.line ?? (query.isDescending ? Int64.max : 0),
                Int64(query.limit + 1),
                Int64(query.offset)
            )
            let statement = query.isDescending ? ConversationStatements.newest : ConversationStatements.oldest
            let rows = try connection.query(statement, parameters)
            var messages: [ConversationMessage] = []
            var count = 0
            for row in rows.rows.prefix(query.limit) {
                count += 1
                let lines = (try? JSONValue.parse(try row.bytes(2), maxDepth: 220))?.array ?? []
                let place = ConversationPlace(at: try row.timestamp(0), line: try row.int64(1))
                if let message = ConversationMessage(place: place, lines: lines) { messages.append(message) }
            }
            let counted = Parameters(of: query.sessionID, query.machine.rawValue, query.agentID)
            let total = try connection.query(ConversationStatements.count, counted).firstRow?.int64(0) ?? 0
            return ConversationPage(messages: messages, hasMore: rows.rowCount > count, total: total)
        }
    }
}

private enum ConversationStatements {
    /// A page of messages: the lines of one answer share a message id.
    private static func page(_ name: String, _ order: String, _ comparison: String) -> Statement {
        Statement(
            name,
            [.text, .int8, .text, .timestamptz, .int8, .int8, .int8],
            """
            WITH messages AS (
                SELECT coalesce(message_id, key) AS message, min(at) AS at, min(id) AS id
                FROM transcript_lines
                WHERE session_id = $1 AND machine_id = $2 AND is_message AND agent_id IS NOT DISTINCT FROM $3
                GROUP BY 1
                HAVING (min(at), min(id)) \(comparison) ($4, $5)
                ORDER BY 2 \(order), 3 \(order) LIMIT $6 OFFSET $7
            )
            SELECT m.at, m.id, (
                SELECT '[' || string_agg(l.line, ',' ORDER BY l.at, l.id) || ']' FROM transcript_lines l
                WHERE l.session_id = $1 AND l.machine_id = $2 AND l.is_message
                    AND l.agent_id IS NOT DISTINCT FROM $3 AND coalesce(l.message_id, l.key) = m.message
            )
            FROM messages m ORDER BY 1 \(order), 2 \(order)
            """
        )
    }

    static let oldest = page("conversation", "ASC", ">")
    static let newest = page("conversation_newest", "DESC", "<")

    static let count = Statement(
        "conversation_count",
        [.text, .int8, .text],
        """
        SELECT count(DISTINCT coalesce(message_id, key)) FROM transcript_lines
        WHERE session_id = $1 AND machine_id = $2 AND is_message AND agent_id IS NOT DISTINCT FROM $3
        """
    )
}
