internal import EventModel
internal import JSON
package import Persistence

extension PostgresStore {
    /// Returns the messages of a session's transcript, and after them the hook events that the transcript does not
    /// contain yet. The page is empty if the server has no transcript of the session.
    package func conversation(_ query: ConversationQuery) async throws(PersistenceError) -> ConversationPage {
        guard query.offset == nil else { return try await numberedPage(query) }
        var page = try await lines(query, skipping: 0, taking: query.limit)
        let isEnd = query.isDescending ? query.after == nil : !page.hasMore
        guard isEnd, page.total > 0 else { return page }
        let tail = try await tail(of: query)
        page.messages = query.isDescending ? tail.reversed() + page.messages : page.messages + tail
        return page
    }

    /// Returns a page by offset. The transcript and the tail form one list.
    private func numberedPage(_ query: ConversationQuery) async throws(PersistenceError) -> ConversationPage {
        let count = try await count(of: query)
        guard count > 0 else { return ConversationPage(messages: [], hasMore: false, total: 0) }
        let tail = try await tail(of: query)
        let window = ConversationWindow(
            transcript: Int(count),
            tail: tail.count,
            offset: query.offset ?? 0,
            limit: query.limit,
            isDescending: query.isDescending
        )
        let told = Array((query.isDescending ? tail.reversed() : tail)[window.tail])
        guard window.taken > 0 else { return finished(told, query, total: count + Int64(tail.count)) }
        let lines = try await lines(query, skipping: window.skipped, taking: window.taken)
        // A page that reached its byte limit contains nothing of the list after it.
        let messages = query.isDescending ? told + lines.messages : lines.messages + (lines.isCut ? [] : told)
        var page = finished(messages, query, total: count + Int64(tail.count))
        page.isCut = lines.isCut
        return page
    }

    private func finished(
        _ messages: [ConversationMessage],
        _ query: ConversationQuery,
        total: Int64
    ) -> ConversationPage {
        let end = Int64((query.offset ?? 0) + messages.count)
        return ConversationPage(messages: messages, hasMore: end < total, total: total)
    }

    /// Returns the tail in the order of the log.
    private func tail(of query: ConversationQuery) async throws(PersistenceError) -> [ConversationMessage] {
        guard !query.hooks.isEmpty else { return [] }
        var newest = query
        (newest.after, newest.isDescending) = (nil, true)
        let told = try await lines(newest, skipping: 0, taking: ConversationTail.comparedMessages).messages
        var hooks = EventQuery(limit: PostgresStore.tailEvents)
        hooks.sessionID = query.loggedID
        hooks.types = query.hooks
        hooks.isDescending = true
        hooks.maxBytes = PostgresStore.tailBytes
        let events = try await events(hooks).events.reversed()
        return ConversationTail.messages(Array(events), told: told, agentID: query.agentID)
    }

    /// The maximum number of hook events that are examined for the end of a conversation. They belong to one turn,
    /// which the transcript contains when the turn ends.
    private static let tailEvents = 500
    private static let tailBytes = 1 << 20

    private func count(of query: ConversationQuery) async throws(PersistenceError) -> Int64 {
        try await run { connection throws(PersistenceError) in try ConversationPages(query).count(connection) }
    }

    private func lines(
        _ query: ConversationQuery,
        skipping offset: Int,
        taking limit: Int
    ) async throws(PersistenceError) -> ConversationPage {
        try await run { connection throws(PersistenceError) in
            let pages = ConversationPages(query)
            var page = try pages.read(connection, skipping: offset, taking: limit)
            page.total = try pages.count(connection)
            return page
        }
    }
}

/// Reads the transcript's messages of a query. Long pages take several statements, so that their bytes stay bounded.
private struct ConversationPages {
    private static let messagesAtOnce = 100

    let query: ConversationQuery

    init(_ query: ConversationQuery) {
        self.query = query
    }

    func count(_ connection: PQConnection) throws(PersistenceError) -> Int64 {
        let parameters = Parameters(of: query.sessionID, query.machine, query.agentID)
        return try connection.query(ConversationStatements.count, parameters).firstValue() ?? 0
    }

    func read(
        _ connection: PQConnection,
        skipping offset: Int,
        taking limit: Int
    ) throws(PersistenceError) -> ConversationPage {
        var page = ConversationPage(messages: [], hasMore: true, total: 0)
        var place = query.after
        var (offset, taken, bytes) = (offset, 0, 0)
        while page.hasMore, taken < limit, !page.isCut {
            let asked = min(limit - taken, ConversationPages.messagesAtOnce)
            let rows = try rows(connection, after: place, skipping: offset, taking: asked + 1)
            offset = 0
            page.hasMore = rows.rowCount > asked
            for row in rows.rows.prefix(asked) {
                let stored: [UInt8] = try row.value(2)
                guard taken == 0 || bytes + stored.count <= query.maxBytes else {
                    (page.hasMore, page.isCut) = (true, true)
                    break
                }
                bytes += stored.count
                taken += 1
                let found = try row.make(ConversationPlace.init(at:line:))
                place = found
                let lines = (try? JSONValue.parse(stored, maxDepth: 220))?.array ?? []
                if let message = ConversationMessage(place: found, lines: lines) { page.messages.append(message) }
            }
        }
        return page
    }

    private func rows(
        _ connection: PQConnection,
        after place: ConversationPlace?,
        skipping offset: Int,
        taking limit: Int
    ) throws(PersistenceError) -> PQResult {
        let start = query.isDescending ? .end : ConversationPlace(at: Timestamp(microseconds: 0), line: 0)
        let parameters = Parameters(
            of: query.sessionID,
            query.machine,
            query.agentID,
            (place ?? start).at,
            (place ?? start).line,
            Int64(limit),
            Int64(offset)
        )
        let statement = query.isDescending ? ConversationStatements.newest : ConversationStatements.oldest
        return try connection.query(statement, parameters)
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
