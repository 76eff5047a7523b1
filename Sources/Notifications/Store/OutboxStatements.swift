internal import EventModel
internal import Outbox
internal import Persistence

/// SQL of the outbox.
enum OutboxStatements {
    private static let table = OutboxTable("push_deliveries")

    static let claim = Statement(
        "claim_pushes",
        OutboxTable.claimParameters,
        """
        WITH \(table.claim)
        SELECT m.id, m.apns_id, n.key, n.kind, n.notice, n.withdrawn_because, m.expires_at, m.device_id,
            m.attempts::bigint, m.submissions::bigint, s.workspace_id,
            coalesce(push_utc_offset(t.time_zone, $1), 0)::bigint, \(PushTokenStatements.columns),
            (SELECT min(w.due_at) FROM push_deliveries w JOIN push_notices o ON o.id = w.notice_id
                WHERE w.token_id = m.token_id AND w.state = 'waiting' AND o.collapse_id = n.collapse_id
                    AND o.event_seq > n.event_seq AND o.kind <> 'resolved'),
            CASE WHEN n.kind = 'digest' THEN (SELECT count(*) FROM push_deliveries c
                WHERE c.digest_key = n.key AND c.device_id = m.device_id) END,
            CASE WHEN n.kind = 'digest' THEN (SELECT count(DISTINCT o.session_id) FROM push_deliveries c
                JOIN push_notices o ON o.id = c.notice_id
                WHERE c.digest_key = n.key AND c.device_id = m.device_id) END,
            n.confirmed_at, m.retries::bigint, m.too_large, m.reason,
            \(preferences(device: "m.device_id", session: "n.session_id")), s.machine_id
        FROM mine m JOIN push_notices n ON n.id = m.notice_id LEFT JOIN sessions s ON s.id = n.session_id
        LEFT JOIN push_tokens t ON t.id = m.token_id
            AND EXISTS (SELECT FROM devices d WHERE d.id = t.device_id AND \(PushRows.isActive))
        ORDER BY m.created_at, m.id
        """
    )

    /// A digest of the layers of preferences that apply to a device and a session; NULL if there are none.
    private static func preferences(device: String, session: String) -> String {
        """
        (SELECT md5(string_agg(p.scope || p.settings, '' ORDER BY p.scope)) FROM push_preferences p
            WHERE p.scope = 'default' OR p.scope = 'device' AND p.subject = \(device)::text
                OR p.scope = 'session' AND p.subject = \(session) OR p.scope = 'project'
                    AND p.subject = (SELECT y.workspace_id FROM sessions y WHERE y.id = \(session)))
        """
    }

    static let release = table.release
    static let nextDue = table.nextDue

    /// The newest ones, because these are decisive.
    static let sentSince = Statement(
        "pushes_sent_since",
        [.int8Array, .timestamptz],
        """
        SELECT d.device_id, d.decided_at, n.kind, n.session_id, d.collapse_id, n.event_seq, s.machine_id
        FROM push_deliveries d JOIN push_notices n ON n.id = d.notice_id LEFT JOIN sessions s ON s.id = n.session_id
        WHERE d.device_id = ANY ($1) AND d.state = 'sent' AND d.decided_at > $2 ORDER BY d.decided_at DESC LIMIT 5000
        """
    )

    static let budgets = Statement(
        "push_budgets",
        [.int8Array],
        "SELECT device_id, full_at FROM push_budgets WHERE device_id = ANY ($1)"
    )

    static let charges = RowColumns<(device: DeviceID, fullAt: Timestamp)>()
        .column("id", \.device).column("full_at", \.fullAt)

    static let keepBudgets = Statement(
        "keep_push_budgets",
        charges.types,
        """
        INSERT INTO push_budgets (device_id, full_at)
        SELECT b.id, max(b.full_at) FROM \(charges.unnest("b")) GROUP BY b.id
        ON CONFLICT (device_id) DO UPDATE SET full_at = greatest(push_budgets.full_at, excluded.full_at)
        """
    )

    /// Locks the notice as a withdrawal does, so that one of the two comes first. Counts the submission before it
    /// happens, so that a crash leaves a trace. A reason means that the delivery must not be sent. There is no row for
    /// a notice that is being withdrawn, for a delivery that another server has taken over, and for one whose
    /// preferences have changed since it was composed. `$1` delivery, `$2` server, `$3` seconds of the lease, `$4`
    /// submissions to count, `$5` the time since which sent pushes can be replaced, `$6` the preferences by which it
    /// was composed.
    static let admit = Statement(
        "admit_push",
        [.int8, .text, .float8, .int8, .timestamptz, .text],
        """
        WITH asked AS (
            SELECT d.id, d.token_id, d.device_id, n.kind, n.collapse_id, n.withdrawn_at, n.withdrawn_because
            FROM push_deliveries d JOIN push_notices n ON n.id = d.notice_id
            WHERE d.id = $1 AND \(table.isClaimed("d", by: "$2"))
                AND \(preferences(device: "d.device_id", session: "n.session_id")) IS NOT DISTINCT FROM $6
            FOR NO KEY UPDATE OF n SKIP LOCKED
        ), judged AS (
            SELECT a.id, CASE WHEN a.withdrawn_at IS NOT NULL THEN coalesce(a.withdrawn_because, 'withdrawn')
                WHEN NOT EXISTS (SELECT FROM devices d WHERE d.id = a.device_id AND \(PushRows.isActive))
                THEN 'device_revoked'
                WHEN a.token_id IS NULL AND a.kind <> '\(DeliveryProbe.kind)' THEN 'token_removed'
                WHEN a.kind = 'resolved' AND NOT EXISTS (
                    SELECT FROM push_deliveries o WHERE o.device_id = a.device_id AND o.state = 'sent'
                        AND o.decided_at > $5 AND o.token_id = a.token_id AND o.collapse_id = a.collapse_id
                ) AND NOT EXISTS (
                    SELECT FROM push_deliveries o JOIN push_notices m ON m.id = o.notice_id
                    WHERE o.token_id = a.token_id AND o.state = 'claimed' AND o.submissions > 0 AND o.id <> a.id
                        AND m.collapse_id = a.collapse_id
                ) THEN 'nothing_to_replace' END AS reason
            FROM asked a
        ), begun AS (
            UPDATE push_deliveries d SET submissions = submissions + $4::integer,
                lease_until = now() + $3 * interval '1 s'
            FROM judged j WHERE d.id = j.id AND j.reason IS NULL RETURNING d.id
        )
        SELECT reason FROM judged
        """
    )

    /// Makes deliveries of suspended channels due at once, because some channel works again. A server whose channel
    /// is still suspended postpones them again.
    static let wake = Statement(
        "wake_pushes",
        [.timestamptz],
        "UPDATE push_deliveries SET due_at = $1 WHERE state = 'waiting' AND code = 'breaker' AND due_at > $1"
    )

    static let settlements = RowColumns<Settlement>()
        .column("id", \.id).column("state", \.state).column("due_at", \.dueAt).column("code", \.code.rawValue)
        .column("reason", \.reason).column("level", \.level).column("collapse_id", \.collapseID)
        .column("status") { $0.status.map(Int64.init) }.column("was_unsent", \.wasNotSubmitted)
        .column("is_retried", \.isRetried).column("is_too_large", \.isTooLarge)

    /// `$12` server, `$13` now.
    static let settle = Statement(
        "settle_pushes",
        settlements.types + [.text, .timestamptz],
        """
        WITH settled AS (
            UPDATE push_deliveries d SET state = s.state, due_at = coalesce(s.due_at, d.due_at), code = s.code,
                reason = s.reason, level = coalesce(s.level, d.level),
                collapse_id = coalesce(s.collapse_id, d.collapse_id),
                status = coalesce(s.status::integer, d.status), submissions = d.submissions - s.was_unsent::integer,
                retries = d.retries + s.is_retried::integer, too_large = d.too_large OR s.is_too_large,
                decided_at = CASE WHEN s.state <> 'waiting' THEN $13 END, lease_until = NULL, claimed_by = NULL
            FROM push_notices n, \(settlements.unnest("s"))
            WHERE d.id = s.id AND \(table.isClaimed("d", by: "$12")) AND n.id = d.notice_id
            RETURNING n.kind, d.state, d.code
        ), ended AS (
            SELECT * FROM settled WHERE state <> 'waiting'
        )
        \(PushTally.select)
        """
    )

    /// `$1` a settled delivery, `$2` key and `$3` JSON of a digest for its device, `$4` collapse id, `$5` now, `$6`
    /// when it is due, `$7` when it expires. Uses a waiting digest of the device if there is one.
    static let digest = Statement(
        "digest_push",
        [.int8, .text, .text, .text, .timestamptz, .timestamptz, .timestamptz],
        """
        WITH counted AS (
            SELECT device_id FROM push_deliveries WHERE id = $1
        ), open AS (
            SELECT n.key FROM push_deliveries d JOIN push_notices n ON n.id = d.notice_id JOIN push_tokens t
                ON t.id = d.token_id
            WHERE t.device_id = (SELECT device_id FROM counted) AND d.state = 'waiting' AND n.kind = 'digest' LIMIT 1
        ), made AS (
            INSERT INTO push_notices (key, kind, collapse_id, notice, raised_at, not_before, expires_at)
            SELECT $2, 'digest', $4, $3, $5, $6, $7 WHERE NOT EXISTS (SELECT FROM open)
            ON CONFLICT (key) DO NOTHING RETURNING id
        ), addressed AS (
            INSERT INTO push_deliveries (notice_id, token_id, device_id, token_kind, due_at, expires_at, created_at)
            SELECT m.id, t.id, t.device_id, t.kind, $6, $7, $5
            FROM made m CROSS JOIN counted c JOIN push_tokens t ON t.device_id = c.device_id
            WHERE \(PushTokenStatements.getsNotices)
        )
        UPDATE push_deliveries SET digest_key = coalesce((SELECT key FROM open), $2) WHERE id = $1
        """
    )

    static let verdicts = RowColumns<TokenVerdict>()
        .column("id", \.tokenID).column("registered_at", \.registeredAt).column("state", \.state)
        .column("reason", \.reason)

    /// `$5`: now.
    static let setTokenStates = Statement(
        "set_push_token_states",
        verdicts.types + [.timestamptz],
        """
        UPDATE push_tokens t SET state = v.state, state_reason = v.reason,
            state_at = CASE WHEN t.state <> v.state THEN $5 ELSE t.state_at END,
            last_ok_at = CASE WHEN v.state = 'active' THEN $5 ELSE t.last_ok_at END,
            failures = CASE WHEN v.state = 'active' THEN 0 ELSE t.failures + 1 END
        FROM \(verdicts.unnest("v"))
        WHERE t.id = v.id AND t.registered_at = v.registered_at
        """
    )

    static let backlog = Statement(
        "push_backlog",
        [.timestamptz],
        """
        SELECT (SELECT count(*) FROM push_deliveries WHERE state = 'waiting'),
            (SELECT count(*) FROM push_deliveries WHERE state = 'claimed'),
            (SELECT min(due_at) FROM push_deliveries WHERE state = 'waiting'),
            (SELECT min(due_at) FROM push_deliveries WHERE state = 'waiting' AND due_at <= $1),
            (SELECT count(*) FROM push_deliveries WHERE state = 'waiting' AND (code = 'retry' AND retries >= 3
                OR code IN ('breaker', 'untrusted', 'unreachable', 'congested', 'refused')))
        """
    )
}
