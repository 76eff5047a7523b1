/// SQL of an erasure.
enum ErasureStatements {
    static let begin = Statement("begin_erasure", "BEGIN ISOLATION LEVEL READ COMMITTED")
    static let commit = Statement("commit_erasure", "COMMIT")
    static let rollback = Statement("rollback_erasure", "ROLLBACK")

    /// Prevents projections from writing until the end of the transaction.
    static let hold = Statement("hold_projections", "SELECT FROM projections ORDER BY name FOR UPDATE")

    /// This SQL is not prepared. It creates the tables that the prepared statements on the same connection read.
    static let tables = """
        CREATE TEMPORARY TABLE erased_scope (machine_id bigint, workspace_id text);
        CREATE TEMPORARY TABLE erased_sessions (session_id text PRIMARY KEY, claude_id text, machine_id bigint);
        CREATE TEMPORARY TABLE erased_events (seq bigint PRIMARY KEY, event_id uuid);
        """

    static let clear = Statement(
        "clear_erasure",
        "TRUNCATE erased_scope, erased_sessions, erased_events"
    )

    static let scope = Statement("erase_scope", [.int8, .text], "INSERT INTO erased_scope VALUES ($1, $2)")

    /// A session without a row may still have events or transcripts: a person removed the row, or the projection is
    /// behind.
    static let sessionsOfID = Statement(
        "erase_session",
        [.text],
        """
        INSERT INTO erased_sessions SELECT $1, \(claudeID("$1", "f.machine_id")), f.machine_id FROM (
            SELECT 1, machine_id FROM session_owners WHERE session_id = $1
            UNION ALL SELECT 2, machine_id FROM sessions WHERE id = $1
            UNION ALL (SELECT 3, machine_id FROM events WHERE session_id = $1 LIMIT 1)
            UNION ALL (SELECT 4, machine_id FROM transcript_files WHERE session_id = $1 LIMIT 1)
            UNION ALL SELECT 5, machine_id FROM plain_chats WHERE id = $1
        ) AS f (rank, machine_id) ORDER BY rank LIMIT 1
        """
    )

    static let sessionsOfScope = Statement(
        "erase_sessions",
        """
        INSERT INTO erased_sessions SELECT f.id, \(claudeID("f.id", "f.machine_id")), f.machine_id FROM (
            SELECT s.id, s.machine_id FROM sessions s, erased_scope c
            WHERE s.machine_id = c.machine_id OR s.workspace_id = c.workspace_id
            UNION ALL SELECT e.session_id, e.machine_id FROM events e, erased_scope c
            WHERE e.session_id IS NOT NULL AND (e.machine_id = c.machine_id OR e.workspace_id = c.workspace_id)
            UNION ALL SELECT o.session_id, o.machine_id FROM session_owners o, erased_scope c
            WHERE o.machine_id = c.machine_id
            UNION ALL SELECT p.id, p.machine_id FROM plain_chats p, erased_scope c WHERE p.machine_id = c.machine_id
            UNION ALL SELECT CASE WHEN EXISTS (
                    SELECT FROM session_owners o WHERE o.session_id = t.session_id AND o.machine_id <> t.machine_id)
                THEN t.session_id || '@' || t.machine_id ELSE t.session_id END, t.machine_id
            FROM transcript_files t, erased_scope c WHERE t.machine_id = c.machine_id AND t.session_id <> ''
        ) AS f (id, machine_id) ON CONFLICT DO NOTHING
        """
    )

    /// `SessionOwnership.separateID` made this id if another machine had begun the session.
    private static func claudeID(_ id: String, _ machine: String) -> String {
        "CASE WHEN \(id) LIKE '%@' || \(machine) THEN left(\(id), -length('@' || \(machine))) ELSE \(id) END"
    }

    static let events = Statement(
        "erased_events",
        """
        INSERT INTO erased_events
        SELECT e.seq, e.event_id FROM events e JOIN erased_sessions s ON s.session_id = e.session_id
        UNION SELECT e.seq, e.event_id FROM events e, erased_scope c
        WHERE e.machine_id = c.machine_id OR e.workspace_id = c.workspace_id
        """
    )

    /// Whether a projection that a server runs has not yet read an erased event. It may hold the event in memory.
    static let isBehind = Statement(
        "erasure_is_behind",
        """
        SELECT EXISTS (
            SELECT FROM projections p, log_head h
            WHERE p.epoch = h.epoch AND p.seq < (SELECT max(seq) FROM erased_events) AND EXISTS (
                SELECT FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
                    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
                    AND (l.classid::bigint << 32 | l.objid::bigint) = projection_lease(p.name)))
        """
    )

    static let found = Statement("erased", "SELECT session_id FROM erased_sessions ORDER BY 1")

    /// The rows of `event_ids` stay, so that an erased event that is sent again is a duplicate.
    static let own = [
        Statement(
            "erase_event_counts",
            """
            UPDATE event_counts c SET (events, prompts, tool_calls, tool_failures)
                = (c.events - g.events, c.prompts - g.prompts, c.tool_calls - g.calls, c.tool_failures - g.failures)
            FROM (
                SELECT (e.received_at AT TIME ZONE 'UTC')::date AS day,
                    (floor(extract(epoch FROM e.received_at))::bigint % 86400 / 900)::smallint AS quarter, e.machine_id,
                    coalesce(e.workspace_id, '') AS workspace_id, coalesce(e.tool_name, '') AS tool_name,
                    count(*) AS events, count(*) FILTER (WHERE e.type = 'prompt') AS prompts,
                    count(*) FILTER (WHERE e.type IN ('tool', 'tool_failure')) AS calls,
                    count(*) FILTER (WHERE e.type = 'tool_failure') AS failures
                FROM events e JOIN erased_events d ON d.seq = e.seq
                WHERE e.seq <= (SELECT seq FROM projections WHERE name = 'event_counts')
                GROUP BY 1, 2, 3, 4, 5
            ) AS g
            WHERE (c.day, c.quarter, c.machine_id, c.workspace_id, c.tool_name)
                = (g.day, g.quarter, g.machine_id, g.workspace_id, g.tool_name)
            """
        ),
        Statement("erase_empty_counts", "DELETE FROM event_counts WHERE events <= 0"),
        Statement("erase_session_rows", "DELETE FROM sessions WHERE id IN (SELECT session_id FROM erased_sessions)"),
        Statement(
            "erase_owners",
            "DELETE FROM session_owners WHERE session_id IN (SELECT session_id FROM erased_sessions)"
        ),
        Statement(
            "erase_removals",
            "DELETE FROM removed_sessions WHERE session_id IN (SELECT session_id FROM erased_sessions)"
        ),
        Statement(
            "erase_projects",
            """
            DELETE FROM workspaces w USING erased_scope c
            WHERE w.id = c.workspace_id OR w.machine_id = c.machine_id
                OR (w.updated_at IS NULL AND NOT EXISTS (SELECT FROM sessions s WHERE s.workspace_id = w.id)
                    AND w.id IN (SELECT e.workspace_id FROM events e JOIN erased_events d ON d.seq = e.seq))
            """
        ),
        Statement(
            "erase_machine_name",
            "UPDATE machines m SET reported_name = NULL FROM erased_scope c WHERE m.id = c.machine_id"
        ),
    ]

    /// Runs after all other steps, because they may read the events.
    static let deleteEvents = Statement(
        "erase_events",
        "DELETE FROM events e USING erased_events d WHERE e.seq = d.seq"
    )

    static let touchAll = Statement("touch_projections", "UPDATE projections SET generation = generation + 1")

    /// Makes all writers drop their cached sessions. Runs last, because the lock on `log_head` blocks the writers.
    static let tellWriters = Statement(
        "tell_writers_of_erasure",
        "UPDATE log_head SET sessions_removed = sessions_removed + 1"
    )

    static let notify = Statement(
        "notify_erasure",
        """
        SELECT pg_notify('\(LogNotice.channel)', 'erased ' || coalesce(
            CASE WHEN bool_and(session_id ~ '^[A-Za-z0-9@_-]+$') AND sum(length(session_id) + 1) < 7000
                THEN string_agg(session_id, ',') END, '*'))
        FROM erased_sessions
        """
    )
}
