internal import EventModel
package import Persistence

extension PostgresStore {
    /// Returns the newest matches first. Omits hook events of sessions whose transcript is known, because the
    /// transcript contains the same text.
    package func search(_ query: SearchQuery) async throws(PersistenceError) -> SearchPage {
        try await runProjected(by: SearchProjection.identity) { connection throws(PersistenceError) in
            let before = query.before
            let parameters = Parameters(
                of: query.text,
                query.sessionID,
                query.machine,
                query.workspaceID,
                query.from,
                query.to,
                query.kind,
                before?.at,
                before.map { Int64($0.isLine ? 1 : 0) },
                before?.number,
                Int64(query.limit + 1)
            )
            let found = try connection.query(searchStatement, parameters).map { row throws(PersistenceError) in
                let (session, at, isLine, number): (String, Timestamp, Int64, Int64) = try row.values()
                let (kind, snippet): (String, String) = try row.values(from: 4)
                let place = SearchPlace(at: at, isLine: isLine == 1, number: number)
                return SearchResult(place: place, sessionID: session, kind: kind, snippet: snippet)
            }
            return SearchPage(results: Array(found.prefix(query.limit)), hasMore: found.count > query.limit)
        }
    }
}

/// Ranks matches by time alone, because people who search a log roughly remember the time. Makes snippets only for
/// the matches of the page.
private let searchStatement = Statement(
    "search",
    [
        .text, .text, .int8, .text, .timestamptz, .timestamptz, .text, .timestamptz, .int8, .int8, .int8,
    ],
    """
    WITH asked AS MATERIALIZED (SELECT websearch_to_tsquery('simple', $1) AS query),
    found AS (
        SELECT l.session_id, l.at, 1::bigint AS is_line, l.id AS number, coalesce(l.kind, 'answer') AS kind, l.words
        FROM transcript_lines l
        WHERE l.words IS NOT NULL AND to_tsvector('simple', l.words) @@ (SELECT query FROM asked)
            AND ($2::text IS NULL OR l.session_id = $2) AND ($3::bigint IS NULL OR l.machine_id = $3)
            AND ($4::text IS NULL OR EXISTS (
                SELECT FROM sessions s WHERE s.id = l.session_id AND s.workspace_id = $4))
        UNION ALL
        SELECT e.session_id, e.at, 0, e.seq, e.kind, e.words
        FROM search_events e
        WHERE to_tsvector('simple', e.words) @@ (SELECT query FROM asked)
            AND ($2::text IS NULL OR e.session_id = $2) AND ($3::bigint IS NULL OR e.machine_id = $3)
            AND ($4::text IS NULL OR e.workspace_id = $4)
            AND NOT EXISTS (SELECT FROM transcript_files f
                WHERE f.session_id = e.session_id AND f.machine_id = e.machine_id AND f.line_offset > 0)
    ), page AS (
        SELECT * FROM found
        WHERE ($5::timestamptz IS NULL OR at >= $5) AND ($6::timestamptz IS NULL OR at < $6)
            AND ($7::text IS NULL OR kind = $7)
            AND ($8::timestamptz IS NULL OR (at, is_line, number) < ($8, $9, $10))
        ORDER BY at DESC, is_line DESC, number DESC LIMIT $11
    )
    SELECT session_id, at, is_line, number, kind,
        ts_headline('simple', left(words, 20000), (SELECT query FROM asked),
            'StartSel="", StopSel="", MaxWords=35, MinWords=15, ShortWord=0')
    FROM page ORDER BY at DESC, is_line DESC, number DESC
    """
)
