internal import EventModel
internal import Persistence

/// SQL of `RequestPairing`.
enum RequestPairingStatements {
    /// Rows of one request id beyond these are compared within their sessions only.
    private static let mostRows = 1000

    /// `found` has the rows that may be paired, each in one part. An id that names several requests on one side joins
    /// only what has the same prompt in the same session.
    static let pairByID = Statement(
        "pair_usage_requests_by_id",
        [.int8Array, .textArray, .textArray],
        """
        WITH asked AS MATERIALIZED (
            SELECT w.machine, w.id, \(hasManyRows("w.id")) AS is_large FROM unnest($1, $2) AS w (machine, id)
        ), listed AS (
            SELECT w.id AS part, r.*, count(*) OVER (PARTITION BY w.id, r.machine_id, r.is_told) AS many
            FROM asked w CROSS JOIN LATERAL (\(rows(
                columns,
                of: "w.id",
                sessions: "$3",
                if: "u.machine_id = w.machine AND u.advises IS NULL"
            ))) AS r
        ), sized AS (
            SELECT *, max(many) OVER (PARTITION BY part, machine_id) > 1 AS is_repeated FROM listed
        ), found AS MATERIALIZED (
            SELECT *, CASE WHEN is_repeated THEN session_id ELSE '' END AS place_of,
                CASE WHEN is_repeated THEN concat_ws(' ', input, read, written) ELSE '' END AS prompt FROM sized
        ), \(pairs(
            exactly: ["machine_id", "part", "place_of", "input", "read", "written", "output"],
            else: ["machine_id", "part", "place_of", "prompt"],
            if: "(NOT t.is_repeated OR a.output <= t.output)"
        ))
        \(write(kind: 1))
        """
    )

    /// Sessions in which all requests have ids need nothing. Two rows with ids that differ are two requests.
    static let pairByTokens = Statement(
        "pair_usage_requests_by_tokens",
        [.textArray],
        """
        WITH found AS MATERIALIZED (
            SELECT u.session_id AS part, \(columns) FROM unnest($1) AS w (id)
            JOIN usage_requests u ON u.session_id = w.id AND u.pairing <> 1 AND u.advises IS NULL
            WHERE EXISTS (SELECT FROM usage_requests n WHERE n.session_id = w.id AND n.request_id IS NULL)
        ), \(pairs(
            exactly: ["machine_id", "part", "input", "read", "written", "output"],
            else: ["machine_id", "part", "input", "read", "written"],
            if: "(t.request_id IS NULL OR a.request_id IS NULL) AND a.output <= t.output"
        ))
        \(write(kind: 2))
        """
    )

    /// What advises a request that both sources report is known to both.
    static let settleAdvice = Statement(
        "settle_usage_advice",
        [.textArray],
        """
        UPDATE usage_requests u SET (sources, session_id) = (CASE WHEN a.pairing > 0 THEN 3 ELSE 2 END, a.session_id)
        FROM usage_requests a
        WHERE u.session_id = ANY ($1) AND u.advises IS NOT NULL AND (a.key, a.machine_id) = (u.advises, u.machine_id)
            AND (u.sources, u.session_id) <> (CASE WHEN a.pairing > 0 THEN 3 ELSE 2 END, a.session_id)
        """
    )

    static let firstByID = Statement(
        "first_usage_requests_by_id",
        [.textArray, .textArray],
        firstByID(of: "unnest($1)", in: "unnest($2)")
    )

    static let firstByKey = Statement("first_usage_requests_by_key", [.textArray], firstByKey(of: "unnest($1)"))

    /// A request id that names one request on each machine names the same one on all. If it names several on a machine,
    /// those with the same tokens are the same.
    ///
    /// - Parameters:
    ///   - ids: a relation with the request ids, each once.
    ///   - sessions: a relation with Claude Code's ids of the sessions in which rows of an id with many are compared.
    static func firstByID(of ids: String, in sessions: String) -> String {
        """
        WITH asked AS MATERIALIZED (
            SELECT w.id, \(hasManyRows("w.id")) AS is_large FROM \(ids) AS w (id)
        ), found AS (
            SELECT r.*, w.is_large, count(*) OVER (PARTITION BY r.request_id, r.machine_id) AS own,
                min(r.machine_id) OVER (PARTITION BY r.request_id) AS least,
                max(r.machine_id) OVER (PARTITION BY r.request_id) AS greatest
            FROM asked w CROSS JOIN LATERAL (\(rows(
                "\(columns), u.is_first",
                of: "w.id",
                sessions: onEachMachine(sessions),
                if: "u.is_counted = 1"
            ))) AS r
        ), same AS (
            SELECT *, CASE
                    WHEN is_large
                    THEN concat_ws(' ', \(claudeID), input, read, written, output)
                    WHEN max(own) OVER (PARTITION BY request_id) > 1 THEN concat_ws(' ', input, read, written, output)
                    ELSE '' END AS tokens
            FROM found WHERE least < greatest OR is_first = 0
        ), numbered AS (
            SELECT *, row_number() OVER (PARTITION BY request_id, tokens, machine_id ORDER BY at, key) AS place
            FROM same
        ), wanted AS (
            SELECT key, machine_id, CASE WHEN row_number() OVER (
                PARTITION BY request_id, tokens, place ORDER BY first_seq, machine_id) = 1 THEN 1 ELSE 0 END AS is_first
            FROM numbered
        )
        \(writeFirst)
        """
    }

    /// - Parameter keys: a relation with the keys, each once, of requests without a request id.
    static func firstByKey(of keys: String) -> String {
        """
        WITH wanted AS (
            SELECT u.key, u.machine_id, CASE WHEN row_number() OVER (
                PARTITION BY u.key ORDER BY u.first_seq, u.machine_id) = 1 THEN 1 ELSE 0 END AS is_first
            FROM \(keys) AS w (key) JOIN usage_requests u ON u.key = w.key
        )
        \(writeFirst)
        """
    }

    private static let writeFirst = """
        UPDATE usage_requests u SET is_first = w.is_first FROM wanted w
        WHERE (u.key, u.machine_id) = (w.key, w.machine_id) AND u.is_first <> w.is_first
        """

    /// The keys of a request id are adjacent in the index.
    private static func isOfRequest(_ id: String) -> String {
        "u.key >= 'r:' || \(id) || ' ' AND u.key < 'r:' || \(id) || '!' AND u.request_id = \(id)"
    }

    private static func hasManyRows(_ id: String) -> String {
        let some = "SELECT FROM usage_requests u WHERE \(isOfRequest(id)) LIMIT \(mostRows + 1)"
        return "(SELECT count(*) > \(mostRows) FROM (\(some)) c)"
    }

    /// Rows of a request id that are compared with each other: all of them, or those of the batch's sessions if the id
    /// has many.
    private static func rows(_ columns: String, of id: String, sessions: String, if condition: String) -> String {
        """
        SELECT \(columns) FROM usage_requests u WHERE NOT w.is_large AND \(isOfRequest(id)) AND \(condition)
        UNION ALL
        SELECT \(columns) FROM usage_requests u
        WHERE w.is_large AND u.session_id = ANY (\(sessions)) AND u.request_id = \(id) AND \(condition)
        """
    }

    /// The ids that sessions with these ids of Claude Code have on each machine: `SessionOwnership.separateID`.
    private static func onEachMachine(_ ids: String) -> String {
        """
        ARRAY (SELECT w.id || m.suffix FROM \(ids) AS w (id)
            CROSS JOIN (SELECT '' UNION ALL SELECT '@' || id FROM machines) AS m (suffix))
        """
    }

    /// Claude Code's own id of the session of a row.
    static let claudeID = "regexp_replace(session_id, '@' || machine_id || '$', '')"

    private static let columns = """
        u.key, u.machine_id, u.session_id, u.request_id, u.at, u.sources & 1 = 1 AS is_told, u.pairing, u.first_seq,
            u.message_id, u.turn_id, u.agent_id, u.workspace_id, u.otel_cost, u.transcript_cost, u.advice_cost,
            u.input_tokens AS input, u.output_tokens AS output, u.cache_read_tokens AS read,
            u.cache_write_5m_tokens + u.cache_write_1h_tokens AS written
        """

    /// Pairs rows of telemetry (`t`) with rows of transcripts (`a`): those that are the same in the columns `exactly`,
    /// and of the rest those that are the same in `part`. Of several, the first one of each is paired with the first
    /// one of the other. Rows that only rows without an id can be paired with come last.
    private static func pairs(exactly: [String], else part: [String], if condition: String) -> String {
        func numbered(_ columns: [String]) -> String {
            let names = columns.joined(separator: ", ")
            return
                "row_number() OVER (PARTITION BY is_told, \(names) ORDER BY (request_id IS NULL) <> is_told, at, key)"
        }
        func same(_ columns: [String]) -> String {
            (columns + ["place"]).map { "t.\($0) = a.\($0)" }.joined(separator: " AND ")
        }
        let pair = """
            t.key AS told, t.machine_id, t.session_id AS told_session, t.otel_cost,
                    a.key AS answer, a.session_id, a.first_seq, a.message_id, a.turn_id, a.agent_id, a.workspace_id,
                    a.transcript_cost, a.advice_cost
            """
        return """
            numbered AS (
                SELECT *, \(numbered(exactly)) AS place FROM found
            ), exact AS MATERIALIZED (
                SELECT \(pair) FROM numbered t JOIN numbered a ON \(same(exactly))
                WHERE t.is_told AND NOT a.is_told AND \(condition)
            ), rest AS (
                SELECT *, \(numbered(part)) AS place FROM found f
                WHERE NOT EXISTS (SELECT FROM exact e WHERE (e.told, e.machine_id) = (f.key, f.machine_id))
                    AND NOT EXISTS (SELECT FROM exact e WHERE (e.answer, e.machine_id) = (f.key, f.machine_id))
            ), pairs AS MATERIALIZED (
                SELECT * FROM exact UNION ALL
                SELECT \(pair) FROM rest t JOIN rest a ON \(same(part))
                WHERE t.is_told AND NOT a.is_told AND \(condition)
            )
            """
    }

    /// Writes the pairs, and takes back those of the same kind that are none any more. What telemetry states as the
    /// cost of a request includes its advice. A transcript whose answers count for another session repeats them.
    private static func write(kind: Int) -> String {
        let cost = """
            coalesce(u.otel_cost, u.cost) - least(
                        coalesce(p.advice_cost, 0),
                        greatest(0, coalesce(u.otel_cost, u.cost) - p.transcript_cost))
            """
        return """
            , repeated AS (
                INSERT INTO usage_copies (session_id, key, machine_id, first_seq)
                SELECT s.id, answer, machine_id, first_seq FROM pairs
                CROSS JOIN LATERAL (VALUES (session_id), (told_session)) AS s (id)
                WHERE session_id <> told_session AND session_id <> '' AND told_session <> ''
                \(UsageProjectionStatements.keepFirst)
            ), told AS (
                UPDATE usage_requests u SET pairing = \(kind), sources = 3, message_id = p.message_id,
                    transcript_cost = p.transcript_cost, cost = \(cost), turn_id = coalesce(u.turn_id, p.turn_id),
                    agent_id = coalesce(u.agent_id, p.agent_id), workspace_id = coalesce(u.workspace_id, p.workspace_id)
                FROM pairs p WHERE (u.key, u.machine_id) = (p.told, p.machine_id)
                    AND (u.pairing, u.sources, u.message_id, u.transcript_cost, u.cost)
                        IS DISTINCT FROM (\(kind), 3, p.message_id, p.transcript_cost, \(cost))
            ), answers AS (
                UPDATE usage_requests u SET pairing = \(kind), is_counted = 0,
                    session_id = coalesce(nullif(p.told_session, ''), u.session_id)
                FROM pairs p WHERE (u.key, u.machine_id) = (p.answer, p.machine_id)
                    AND (u.pairing, u.is_counted, u.session_id)
                        <> (\(kind), 0, coalesce(nullif(p.told_session, ''), u.session_id))
            )
            UPDATE usage_requests u SET pairing = 0, is_counted = 1, sources = CASE WHEN f.is_told THEN 1 ELSE 2 END,
                message_id = CASE WHEN NOT f.is_told THEN u.message_id END,
                transcript_cost = CASE WHEN NOT f.is_told THEN u.transcript_cost END,
                cost = coalesce(u.otel_cost, u.cost)
            FROM found f WHERE (u.key, u.machine_id) = (f.key, f.machine_id) AND f.pairing = \(kind)
                AND NOT EXISTS (SELECT FROM pairs p WHERE (p.told, p.machine_id) = (f.key, f.machine_id))
                AND NOT EXISTS (SELECT FROM pairs p WHERE (p.answer, p.machine_id) = (f.key, f.machine_id))
            """
    }
}
