internal import EventModel
internal import Persistence

/// SQL of the transaction that processes events.
enum DetectionStatements {
    static let begin = Statement("begin_push", "BEGIN ISOLATION LEVEL READ COMMITTED")
    static let commit = Statement("commit_push", "COMMIT")
    static let rollback = Statement("rollback_push", "ROLLBACK")

    /// Held until commit. Another server waits here and then continues after this one.
    static let progress = Statement(
        "push_progress",
        "SELECT epoch, seq, state FROM projections WHERE name = 'push' FOR UPDATE"
    )

    static let head = Statement("push_log_head", "SELECT epoch, last_seq FROM log_head")

    static let hasListeners = Statement(
        "push_has_listeners",
        "SELECT EXISTS (SELECT FROM push_tokens WHERE state = 'active')"
    )

    /// The last position before `$1`, if `$2` is the end of the log.
    static let placeBefore = Statement(
        "push_place_before",
        [.timestamptz, .int8],
        "SELECT coalesce(min(seq) - 1, $2) FROM events WHERE received_at >= $1"
    )

    static let watches = Statement(
        "push_watches",
        [.textArray],
        "SELECT session_id, state FROM push_watches WHERE session_id = ANY ($1)"
    )

    static let withdrawals = RowColumns<(promptKey: String, because: String)>()
        .column("prompt_key", \.promptKey).column("because", \.because)

    /// Withdraws deliveries that have not been sent. Claimed deliveries are settled by the server that claimed them.
    static let withdraw = Statement(
        "withdraw_push_notices",
        withdrawals.types + [.timestamptz],
        """
        WITH void AS (
            UPDATE push_notices n SET withdrawn_at = $3, withdrawn_because = w.because
            FROM \(withdrawals.unnest("w"))
            WHERE n.prompt_key = w.prompt_key AND n.withdrawn_at IS NULL RETURNING n.id, n.kind, n.withdrawn_because
        ), ended AS (
            UPDATE push_deliveries d SET state = 'withdrawn', reason = NULL, code = void.withdrawn_because,
                decided_at = $3
            FROM void WHERE d.notice_id = void.id AND d.state = 'waiting' RETURNING void.kind, d.state, d.code
        )
        SELECT n.count, t.* FROM (SELECT count(*) FROM void) n LEFT JOIN (\(PushTally.select)) t ON true
        """
    )

    /// A notice, and its cause: the reason if it is already withdrawn, or the prompt that it resolves.
    typealias RaisedNotice = (notice: Notification, cause: String?)

    static let notices = RowColumns<RaisedNotice>()
        .column("key", \.notice.key).column("kind", \.notice.kind.rawValue)
        .column("event_seq") { $0.notice.seq > 0 ? $0.notice.seq : nil }.column("event_id", \.notice.eventID)
        .column("session_id", \.notice.place.sessionID).column("prompt_key", \.notice.promptKey)
        .column("collapse_id", \.notice.collapseID).column("notice") { TextBytes(bytes: $0.notice.stored()) }
        .column("raised_at", \.notice.raisedAt).column("not_before", \.notice.notBefore)
        .column("expires_at", \.notice.expiresAt).column("cause", \.cause)

    /// `$13`: now. Ignores a notice that already exists.
    static let raise = Statement(
        "raise_push_notices",
        notices.types + [.timestamptz],
        """
        WITH raised AS (
            INSERT INTO push_notices (key, kind, event_seq, event_id, session_id, prompt_key, collapse_id, notice,
                raised_at, not_before, expires_at, withdrawn_because, withdrawn_at)
            SELECT r.*, CASE WHEN r.cause IS NOT NULL THEN $13 END
            FROM \(notices.unnest("r"))
            ON CONFLICT (key) DO NOTHING
            RETURNING id, not_before, expires_at, withdrawn_at
        ), addressed AS (
            INSERT INTO push_deliveries (notice_id, token_id, device_id, token_kind, due_at, expires_at, created_at)
            SELECT r.id, t.id, t.device_id, t.kind, r.not_before, r.expires_at, $13
            FROM raised r CROSS JOIN push_tokens t JOIN devices d ON d.id = t.device_id
            WHERE r.withdrawn_at IS NULL AND \(PushTokenStatements.getsNotices) AND \(PushRows.isActive)
            RETURNING id
        )
        SELECT (SELECT count(*) FROM raised), (SELECT count(*) FROM addressed)
        """
    )

    /// The causes are prompts. `$13`: now. Selects the tokens to which a notice of the prompt was sent
    /// or is being sent. The latter are processed a little later.
    static let resolve = Statement(
        "resolve_push_prompts",
        notices.types + [.timestamptz],
        """
        WITH asked AS (
            SELECT r.*, d.token_id, d.device_id, d.token_kind, d.state = 'claimed' AS under_way
            FROM \(notices.unnest("r"))
            JOIN push_notices n ON n.prompt_key = r.cause
            JOIN push_deliveries d ON d.notice_id = n.id AND d.state IN ('sent', 'claimed')
            JOIN push_tokens t ON t.id = d.token_id AND t.state = 'active'
        ), resolved AS (
            INSERT INTO push_notices (key, kind, event_seq, event_id, session_id, collapse_id, notice, raised_at,
                not_before, expires_at)
            SELECT DISTINCT ON (key) key, kind, event_seq, event_id, session_id, collapse_id, notice, raised_at,
                not_before, expires_at
            FROM asked
            ON CONFLICT (key) DO NOTHING RETURNING id, key, not_before, expires_at
        ), addressed AS (
            INSERT INTO push_deliveries (notice_id, token_id, device_id, token_kind, due_at, expires_at, created_at)
            SELECT r.id, a.token_id, a.device_id, a.token_kind,
                r.not_before + CASE WHEN bool_or(a.under_way) THEN interval '5 s' ELSE interval '0' END,
                r.expires_at, $13
            FROM resolved r JOIN asked a USING (key)
            GROUP BY r.id, a.token_id, a.device_id, a.token_kind, r.not_before, r.expires_at
            RETURNING id
        )
        SELECT (SELECT count(*) FROM resolved), (SELECT count(*) FROM addressed)
        """
    )

    /// Makes deliveries that wait for this confirmation due at once.
    static let confirm = Statement(
        "confirm_push_prompts",
        [.textArray, .timestamptz],
        """
        WITH sure AS (
            UPDATE push_notices SET confirmed_at = $2
            WHERE prompt_key = ANY ($1) AND withdrawn_at IS NULL AND confirmed_at IS NULL RETURNING id
        ), due AS (
            UPDATE push_deliveries d SET due_at = least(d.due_at, $2) FROM sure
            WHERE d.notice_id = sure.id AND d.state = 'waiting' AND d.code = 'unconfirmed' RETURNING d.id
        )
        SELECT count(*) FROM due
        """
    )

    static let watchColumns = RowColumns<(sessionID: String, state: TextBytes)>()
        .column("session_id", \.sessionID).column("state", \.state)

    static let keepWatches = Statement(
        "keep_push_watches",
        watchColumns.types + [.timestamptz],
        """
        INSERT INTO push_watches (\(watchColumns.names), updated_at) SELECT w.*, $3 FROM \(watchColumns.unnest("w"))
        ON CONFLICT (session_id) DO UPDATE SET (state, updated_at) = (excluded.state, excluded.updated_at)
        """
    )

    static let dropWatches = Statement(
        "drop_push_watches",
        [.textArray],
        "DELETE FROM push_watches WHERE session_id = ANY ($1)"
    )

    static let forgetWatches = Statement("forget_push_watches", "DELETE FROM push_watches")

    static let move = Statement(
        "move_push_progress",
        [.text, .int8, .text, .timestamptz],
        "UPDATE projections SET (epoch, seq, state, moved_at) = ($1, $2, $3, $4) WHERE name = 'push'"
    )
}
