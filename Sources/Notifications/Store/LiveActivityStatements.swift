internal import Persistence

/// SQL of Live Activities.
enum LiveActivityStatements {
    static let columns = RowColumns<ActivityState>()
        .column("session_id", \.place.sessionID).column("workspace_id", \.place.workspaceID)
        .column("state") { TextBytes(bytes: $0.stored()) }

    /// `$4` now. Updates sessions that already have an activity.
    static let update = Statement(
        "update_push_activities",
        columns.types + [.timestamptz],
        """
        UPDATE push_activities a SET state = s.state, workspace_id = s.workspace_id, due_at = $4, updated_at = $4,
            version = a.version + 1
        FROM \(columns.unnest("s")) WHERE a.session_id = s.session_id
        """
    )

    /// The same for sessions that wait for a person, for which an activity may start.
    static let follow = Statement(
        "follow_push_activities",
        columns.types + [.timestamptz],
        """
        INSERT INTO push_activities (device_id, session_id, workspace_id, state, due_at, updated_at)
        SELECT t.device_id, s.session_id, s.workspace_id, s.state, $4, $4
        FROM \(columns.unnest("s")) CROSS JOIN push_tokens t
        JOIN devices d ON d.id = t.device_id
        WHERE t.kind = 'activity_start' AND t.state = 'active' AND \(PushRows.isActive)
        ON CONFLICT DO NOTHING
        """
    )

    static let tokenArrived = Statement(
        "push_activity_token_arrived",
        [.int8, .text, .timestamptz],
        """
        UPDATE push_activities SET token_arrived = true, due_at = $3, updated_at = $3, version = version + 1
        WHERE device_id = $1 AND session_id = $2
        """
    )

    static let tokenGone = Statement(
        "push_activity_token_gone",
        [.int8, .text, .timestamptz],
        """
        UPDATE push_activities SET token_gone = true, due_at = $3, updated_at = $3, version = version + 1
        WHERE device_id = $1 AND session_id = $2
        """
    )

    /// `$1` now, `$2` limit, `$3` seconds of the lease, `$4` server.
    static let claim = Statement(
        "claim_push_activities",
        [.timestamptz, .int8, .float8, .text],
        """
        WITH due AS (
            SELECT device_id, session_id FROM push_activities
            WHERE due_at <= $1 AND (lease_until IS NULL OR lease_until < now())
            ORDER BY due_at LIMIT $2 FOR UPDATE SKIP LOCKED
        ), mine AS (
            UPDATE push_activities a SET lease_until = now() + $3 * interval '1 s', claimed_by = $4 FROM due
            WHERE (a.device_id, a.session_id) = (due.device_id, due.session_id) RETURNING a.*
        )
        SELECT m.device_id, m.session_id, m.workspace_id, m.plan, m.state, m.token_arrived, m.token_gone, m.version,
            \(PushTokenStatements.columns)
        FROM mine m LEFT JOIN push_tokens t ON t.device_id = m.device_id AND t.state = 'active'
            AND (t.kind = 'activity_start' OR t.kind = 'activity_update' AND t.session_id = m.session_id)
            AND EXISTS (SELECT FROM devices d WHERE d.id = t.device_id AND \(PushRows.isActive))
        ORDER BY m.device_id, m.session_id
        """
    )

    /// Ends the lease.
    static let release = Statement(
        "release_push_activities",
        [.text, .text],
        """
        UPDATE push_activities SET lease_until = NULL
        WHERE lease_until IS NOT NULL AND starts_with(claimed_by, $1) AND claimed_by <> $2
        """
    )

    /// Keeps input that arrived after the claim, which makes the activity due at once. `$7`: the server that claimed
    /// it.
    static let settle = Statement(
        "settle_push_activity",
        [.int8, .text, .text, .int8, .timestamptz, .timestamptz, .text],
        """
        UPDATE push_activities SET plan = $3, lease_until = NULL, updated_at = $6,
            state = CASE WHEN version = $4 THEN NULL ELSE state END,
            token_arrived = token_arrived AND version <> $4, token_gone = token_gone AND version <> $4,
            due_at = CASE WHEN version = $4 THEN $5 ELSE $6 END
        WHERE device_id = $1 AND session_id = $2 AND lease_until IS NOT NULL AND claimed_by = $7
        """
    )

    static let nextDue = Statement(
        "next_push_activity_due",
        "SELECT min(greatest(due_at, coalesce(lease_until, due_at))) FROM push_activities WHERE due_at IS NOT NULL"
    )

    static let trim = Statement(
        "trim_push_activities",
        [.timestamptz],
        "DELETE FROM push_activities WHERE updated_at < $1"
    )
}
