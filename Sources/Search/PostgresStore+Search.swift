internal import EventModel
package import Persistence

extension PostgresStore {
    /// Returns the newest matches first. Omits hook events of sessions whose transcript is known, because the
    /// transcript contains the same text. If the calling task is cancelled, the query ends.
    package func search(_ query: SearchQuery) async throws(PersistenceError) -> SearchPage {
        try await runProjected(by: SearchProjection.identity, isCancellable: true) {
            connection throws(PersistenceError) in
            // A frequent word has enough matches among the newest texts; the index helps with all others.
            if query.sessionID == nil, query.to == nil {
                let found = try SearchStatements.results(SearchStatements.newest, query, on: connection)
                if found.count > query.limit { return SearchPage(found, of: query) }
            }
            return SearchPage(try SearchStatements.results(SearchStatements.all, query, on: connection), of: query)
        }
    }
}

extension SearchPage {
    /// - Parameter found: one result more than the page holds, if there are more.
    fileprivate init(_ found: [SearchResult], of query: SearchQuery) {
        self.init(results: Array(found.prefix(query.limit)), hasMore: found.count > query.limit)
    }
}

/// Ranks matches by time alone, because people who search a log roughly remember the time. Makes snippets only for
/// the matches of the page.
private enum SearchStatements {
    /// How many of the newest texts of each table are compared one by one.
    private static let window = 2000

    static func results(
        _ statement: Statement,
        _ query: SearchQuery,
        on connection: PQConnection
    ) throws(PersistenceError) -> [SearchResult] {
        let before = query.before
        let parameters = Parameters(
            of: query.expression.tsquery,
            query.sessionID,
            query.machine,
            query.workspaceID,
            query.from,
            query.to,
            query.kinds.map(\.rawValue),
            before?.at,
            before.map { Int64($0.isLine ? 1 : 0) },
            before?.number,
            Int64(query.limit + 1),
            query.expression.shown
        )
        return try connection.query(statement, parameters).map { row throws(PersistenceError) in
            let (session, at, isLine, number): (String, Timestamp, Int64, Int64) = try row.values()
            let (kind, snippet): (String, String) = try row.values(from: 4)
            let place = SearchPlace(at: at, isLine: isLine == 1, number: number)
            return SearchResult(place: place, sessionID: session, kind: kind, snippet: SearchSnippet.trim(snippet))
        }
    }

    private static let types: [PGType] = [
        .text, .text, .int8, .text, .timestamptz, .timestamptz, .textArray, .timestamptz, .int8, .int8, .int8,
        .textArray,
    ]

    /// Finds all matches by the index.
    static let all = Statement(
        "search",
        types,
        select(
            from: lines("transcript_lines") + unordered,
            and: events("search_events") + unordered,
            where: "true"
        )
    )

    /// Keeps PostgreSQL from reading texts in the order of time until it has enough matches: its estimate of how many
    /// texts hold a rare word is often wrong.
    private static let unordered = " OFFSET 0"

    /// Finds the matches among the newest texts. They are the newest of all down to the time at which one of the two
    /// lists ends.
    static let newest = Statement(
        "search_newest",
        types,
        """
        WITH recent_lines AS MATERIALIZED (
            SELECT id, session_id, machine_id, at, kind, words, lexemes FROM transcript_lines
            WHERE lexemes IS NOT NULL AND ($8::timestamptz IS NULL OR at <= $8)
            ORDER BY at DESC LIMIT \(window)
        ), recent_events AS MATERIALIZED (
            SELECT * FROM search_events WHERE $8::timestamptz IS NULL OR at <= $8 ORDER BY at DESC LIMIT \(window)
        ), bound AS MATERIALIZED (
            SELECT greatest(
                (SELECT min(at) FROM recent_lines HAVING count(*) = \(window)),
                (SELECT min(at) FROM recent_events HAVING count(*) = \(window))) AS at
        )
        \(select(from: lines("recent_lines"), and: events("recent_events"), where: """
            at > coalesce((SELECT at FROM bound), '-infinity')
            """))
        """
    )

    private static func select(from lines: String, and events: String, where condition: String) -> String {
        """
        SELECT session_id, at, is_line, number, kind,
            substr(words, greatest(1, found - \(SearchSnippet.before)), \(SearchSnippet.length)) FROM (
            SELECT page.*,
                coalesce((SELECT min(nullif(strpos(lower(words), shown), 0)) FROM unnest($12) shown), 1) AS found
            FROM (
                (SELECT * FROM (\(lines)) l WHERE \(condition) AND \(filter)
                    ORDER BY at DESC, is_line DESC, number DESC LIMIT $11)
                UNION ALL
                (SELECT * FROM (\(events)) e WHERE \(condition) AND \(filter)
                    ORDER BY at DESC, is_line DESC, number DESC LIMIT $11)
                ORDER BY at DESC, is_line DESC, number DESC LIMIT $11
            ) page
        ) shown ORDER BY at DESC, is_line DESC, number DESC
        """
    }

    private static let filter = """
        ($5::timestamptz IS NULL OR at >= $5) AND ($6::timestamptz IS NULL OR at < $6)
        AND ($7::text[] = '{}' OR kind = ANY ($7))
        AND ($8::timestamptz IS NULL OR (at, is_line, number) < ($8, $9, $10))
        """

    private static func lines(_ table: String) -> String {
        """
        SELECT l.session_id, l.at, 1::bigint AS is_line, l.id AS number, coalesce(l.kind, 'answer') AS kind, l.words
        FROM \(table) l
        WHERE l.lexemes @@ $1::tsquery
            AND ($2::text IS NULL OR l.session_id = $2) AND ($3::bigint IS NULL OR l.machine_id = $3)
            AND ($4::text IS NULL OR EXISTS (
                SELECT FROM sessions s WHERE s.id = l.session_id AND s.workspace_id = $4))
        """
    }

    private static func events(_ table: String) -> String {
        """
        SELECT e.session_id, e.at, 0::bigint AS is_line, e.seq AS number, e.kind, e.words
        FROM \(table) e
        WHERE e.lexemes @@ $1::tsquery
            AND ($2::text IS NULL OR e.session_id = $2) AND ($3::bigint IS NULL OR e.machine_id = $3)
            AND ($4::text IS NULL OR e.workspace_id = $4)
            AND NOT EXISTS (SELECT FROM transcript_files f
                WHERE f.session_id = e.session_id AND f.machine_id = e.machine_id AND f.line_offset > 0)
        """
    }
}

/// The part of a text that is shown with a match.
enum SearchSnippet {
    /// Characters before the match.
    static let before = 80
    static let length = 300

    /// Removes the word that the beginning of the part has cut, if it is short.
    static func trim(_ text: String) -> String {
        guard text.count == length, let space = text.prefix(20).firstIndex(where: \.isWhitespace) else { return text }
        return String(text[text.index(after: space)...])
    }
}
