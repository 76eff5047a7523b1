/// SQL of reads without filters.
enum LogStatements {
    static let bounds = Statement(
        "bounds",
        "SELECT epoch, last_seq, coalesce((SELECT min(seq) FROM events), last_seq + 1) FROM log_head"
    )

    /// received_at selects the one partition that holds an event.
    static let events = Statement(
        "events_by_id",
        [.uuidArray],
        """
        SELECT e.* FROM event_ids i CROSS JOIN LATERAL (SELECT \(EventSelection.columns) FROM events
            WHERE (received_at, seq) = (i.received_at, i.seq)) AS e
        WHERE i.event_id = ANY ($1)
        """
    )

    /// The start of a call among the newest events. `$1`: the machine. `$2`: a piece of the event's facts.
    static let start = Statement(
        "start_of_call",
        [.int8, .text],
        """
        SELECT \(EventSelection.columns) FROM events
        WHERE seq > (SELECT last_seq - 5000 FROM log_head) AND machine_id = $1 AND hook_event_name = 'PreToolUse'
            AND strpos(facts, $2) > 0
        ORDER BY seq DESC LIMIT 1
        """
    )

    static let session = Statement("session", [.text], "SELECT id, fold FROM sessions WHERE id = $1")

    static let sessions = Statement(
        "sessions_by_id",
        [.textArray],
        "SELECT id, fold FROM sessions WHERE id = ANY ($1)"
    )

    static let sessionIDs = Statement(
        "session_ids",
        [.int8, .int8],
        "SELECT DISTINCT session_id FROM events WHERE seq > $1 AND seq <= $2 AND session_id IS NOT NULL"
    )

    /// `$1`: sessions active since this time count as active.
    static let statistics = Statement(
        "statistics",
        [.timestamptz],
        """
        SELECT count(*) FILTER (WHERE ended_at IS NULL AND last_activity_at > $1),
            count(*) FILTER (WHERE ended_at IS NULL AND last_activity_at <= $1),
            count(*) FILTER (WHERE ended_at IS NOT NULL),
            count(*) FILTER (WHERE ended_at IS NULL AND state = 'waiting'),
            least(coalesce(sum(message_count), 0), 9e18)::bigint,
            least(coalesce(sum(tool_call_count), 0), 9e18)::bigint,
            least(coalesce(sum(input_tokens), 0), 9e18)::bigint,
            least(coalesce(sum(output_tokens), 0), 9e18)::bigint,
            least(coalesce(sum(cache_read_tokens), 0), 9e18)::bigint,
            least(coalesce(sum(cache_creation_tokens), 0), 9e18)::bigint,
            coalesce(sum(total_cost), 0)::double precision
        FROM sessions
        """
    )

    /// Scans two short index ranges, whatever the number of sessions. `$1`: sessions active since this time count as
    /// active.
    static let openSessions = Statement(
        "open_sessions",
        [.timestamptz],
        """
        SELECT count(*), (SELECT count(*) FROM sessions WHERE ended_at IS NULL AND state = 'waiting'),
            count(*) FILTER (WHERE state = 'running')
        FROM sessions WHERE last_activity_at > $1 AND ended_at IS NULL
        """
    )

    /// Reads all sessions. `$1`: sessions active since this time count as active.
    static let idleSessions = Statement(
        "idle_sessions",
        [.timestamptz],
        "SELECT count(*) FROM sessions WHERE last_activity_at <= $1 AND ended_at IS NULL"
    )

    static let models = Statement(
        "models",
        """
        SELECT DISTINCT current_model COLLATE "C" FROM sessions
        WHERE ended_at IS NULL AND current_model IS NOT NULL ORDER BY 1
        """
    )

    /// A match by name takes precedence over a match by number.
    static let machine = Statement(
        "machine_named",
        [.text],
        "SELECT id FROM machines WHERE $1 IN (name, id::text) ORDER BY name = $1 DESC LIMIT 1"
    )

    static let machines = Statement(
        "machines",
        """
        SELECT m.id, m.name, m.reported_name, m.created_at, m.last_seen_at,
            (SELECT count(*) FROM sessions s WHERE s.machine_id = m.id)
        FROM machines m ORDER BY m.name
        """
    )
}
