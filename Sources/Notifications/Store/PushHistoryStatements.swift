internal import Persistence

/// SQL of past decisions, and of deleting them.
enum PushHistoryStatements {
    private static let columns = """
        n.key, n.kind, n.event_seq, n.event_id, n.session_id, n.raised_at, n.not_before, n.expires_at, n.withdrawn_at,
        n.withdrawn_because, d.id, d.device_id, d.token_kind, left(encode(t.sha256, 'hex'), 8), d.apns_id, d.state,
        d.due_at, d.attempts::bigint, d.submissions::bigint, d.level, d.collapse_id, d.code, d.reason,
        d.status::bigint, d.decided_at
        """

    private static let joins = """
        LEFT JOIN push_deliveries d ON d.notice_id = n.id LEFT JOIN push_tokens t ON t.id = d.token_id
        """

    static let ofEvent = Statement(
        "push_history_of_event",
        [.uuid],
        "SELECT \(columns) FROM push_notices n \(joins) WHERE n.event_id = $1 ORDER BY n.id, d.id LIMIT 1000"
    )

    static let ofPush = Statement(
        "push_history_of_push",
        [.uuid],
        """
        SELECT \(columns) FROM push_notices n \(joins)
        WHERE n.id = (SELECT notice_id FROM push_deliveries WHERE apns_id = $1) AND d.apns_id = $1
        """
    )

    static let latest = Statement(
        "push_history_latest",
        [.int8],
        """
        SELECT \(columns) FROM (SELECT * FROM push_notices ORDER BY id DESC LIMIT $1) n \(joins)
        ORDER BY n.id DESC, d.id LIMIT 5000
        """
    )

    static let probes = Statement(
        "push_history_probes",
        [.int8],
        """
        SELECT \(columns) FROM (
            SELECT * FROM push_notices WHERE kind = 'canary' ORDER BY id DESC LIMIT $1) n \(joins)
        ORDER BY n.id DESC, d.id
        """
    )

    static let progress = Statement(
        "push_progress_of_event",
        [.uuid],
        "SELECT e.seq, p.seq FROM event_ids e CROSS JOIN projections p WHERE e.event_id = $1 AND p.name = 'push'"
    )

    /// A second run returns the deliveries of the first.
    static let add = Statement(
        "add_push_notice",
        [.text, .text, .text, .text, .timestamptz, .timestamptz, .timestamptz, .int8, .timestamptz],
        """
        WITH raised AS (
            INSERT INTO push_notices (key, kind, collapse_id, notice, raised_at, not_before, expires_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (key) DO NOTHING RETURNING id
        ), addressed AS (
            INSERT INTO push_deliveries (notice_id, token_id, device_id, token_kind, due_at, expires_at, created_at)
            SELECT r.id, t.id, t.device_id, t.kind, $6, $7, $9
            FROM raised r CROSS JOIN push_tokens t JOIN devices d ON d.id = t.device_id
            WHERE t.device_id = $8 AND \(PushTokenStatements.getsNotices) AND \(PushRows.isActive)
            RETURNING apns_id
        )
        SELECT apns_id FROM addressed UNION ALL
        SELECT d.apns_id FROM push_deliveries d JOIN push_notices n ON n.id = d.notice_id WHERE n.key = $1
        """
    )

    static let trimTokens = Statement(
        "trim_push_tokens",
        [.timestamptz, .timestamptz],
        """
        WITH gone AS (
            DELETE FROM push_tokens t USING devices d
            WHERE d.id = t.device_id AND (t.registered_at < $1 OR NOT (\(PushRows.isActive)))
            RETURNING t.id
        ), ended AS (
            UPDATE push_deliveries p SET state = 'withdrawn', reason = NULL, code = 'token_removed', decided_at = $2
            FROM gone, push_notices n WHERE p.token_id = gone.id AND p.state = 'waiting' AND n.id = p.notice_id
            RETURNING n.kind, p.state, p.code
        )
        \(PushTally.select)
        """
    )

    static let trimWatches = Statement(
        "trim_push_watches",
        [.timestamptz],
        "DELETE FROM push_watches WHERE updated_at < $1"
    )

    /// Deletes a limited number of rows, so that no run takes long. The next run continues.
    static let trimNotices = Statement(
        "trim_push_notices",
        [.timestamptz],
        """
        DELETE FROM push_notices WHERE id IN (
            SELECT n.id FROM push_notices n WHERE n.raised_at < $1 AND NOT EXISTS (
                SELECT FROM push_deliveries d WHERE d.notice_id = n.id AND d.state IN ('waiting', 'claimed'))
            ORDER BY n.raised_at LIMIT 10000)
        """
    )
}
