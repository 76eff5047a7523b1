internal import Persistence

/// SQL of push tokens and preferences. Each statement is complete by itself.
enum PushTokenStatements {
    static let columns = """
        t.id, t.device_id, t.kind, t.session_id, t.token, t.sha256, t.environment, t.topic, t.p256dh, t.auth,
        t.encryption_key, t.locale, t.time_zone, t.app_version, t.frequent_updates, t.registered_at, t.last_ok_at,
        t.failures::bigint, t.state, t.state_reason
        """

    /// Whether tokens `t` get notices. If a device has tokens of an app and of a browser, only the app's do.
    static let getsNotices = """
        t.state = 'active' AND (t.kind = 'alert' OR t.kind = 'webpush' AND NOT EXISTS (
            SELECT FROM push_tokens o WHERE o.device_id = t.device_id AND o.kind = 'alert' AND o.state = 'active'))
        """

    /// Maximum number of tokens of one kind per device. Only Live Activities have several: one per session. Beyond
    /// the limit, the token that was registered first is removed.
    static let maximumPerKind = 8

    /// Moves a token of another device, for example after pairing again, to this one. Reading the count makes
    /// PostgreSQL delete the old row first. Returns no row if the device is not active.
    static let register = Statement(
        "register_push_token",
        [
            .int8, .text, .text, .text, .bytea, .text, .text, .text, .text, .bytea, .text, .text, .text, .bool,
            .timestamptz,
        ],
        """
        WITH moved AS (
            DELETE FROM push_tokens o WHERE o.kind = $2 AND o.sha256 = $5
                AND (o.device_id, coalesce(o.session_id, '')) <> ($1, coalesce($3, '')) RETURNING o.id
        ), replaced AS (
            DELETE FROM push_tokens o WHERE o.id IN (
                SELECT other.id FROM push_tokens other
                WHERE other.device_id = $1 AND other.kind = $2 AND coalesce(other.session_id, '') <> coalesce($3, '')
                    AND NOT (other.sha256 = $5)
                ORDER BY other.registered_at DESC, other.id DESC OFFSET \(maximumPerKind - 1)
            )
        )
        INSERT INTO push_tokens AS t (device_id, kind, session_id, token, sha256, environment, topic, p256dh, auth,
            encryption_key, locale, time_zone, app_version, frequent_updates, registered_at)
        SELECT d.id, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15
        FROM devices d WHERE d.id = $1 AND \(PushRows.isActive) AND (SELECT count(*) FROM moved) >= 0
        ON CONFLICT (device_id, kind, coalesce(session_id, '')) DO UPDATE SET
            (token, sha256, environment, topic, p256dh, auth, encryption_key, locale, time_zone, app_version,
                frequent_updates, registered_at)
            = (excluded.token, excluded.sha256, excluded.environment, excluded.topic, excluded.p256dh, excluded.auth,
                excluded.encryption_key, excluded.locale, excluded.time_zone, excluded.app_version,
                excluded.frequent_updates, excluded.registered_at),
            failures = 0, state = 'active', state_reason = NULL, state_at = excluded.registered_at,
            last_ok_at = CASE WHEN t.sha256 = excluded.sha256 THEN t.last_ok_at END
        RETURNING \(columns)
        """
    )

    static let isTimeZone = Statement(
        "is_time_zone",
        [.text],
        "SELECT push_utc_offset($1, now()) IS NOT NULL"
    )

    static let ofDevice = Statement(
        "push_tokens_of_device",
        [.int8],
        "SELECT \(columns) FROM push_tokens t WHERE $1 IS NULL OR t.device_id = $1 ORDER BY t.id"
    )

    /// `$2`: the token's id, or NULL for all tokens of the device.
    static let remove = Statement(
        "remove_push_tokens",
        [.int8, .int8, .timestamptz],
        """
        WITH removed AS (
            DELETE FROM push_tokens WHERE device_id = $1 AND ($2 IS NULL OR id = $2) RETURNING id
        ), ended AS (
            UPDATE push_deliveries d SET state = 'withdrawn', reason = NULL, code = 'token_removed', decided_at = $3
            FROM removed, push_notices n WHERE d.token_id = removed.id AND d.state = 'waiting' AND n.id = d.notice_id
            RETURNING n.kind, d.state, d.code
        )
        SELECT r.count, t.* FROM (SELECT count(*) FROM removed) r LEFT JOIN (\(PushTally.select)) t ON true
        """
    )

    static let byState = Statement(
        "push_tokens_by_state",
        "SELECT kind, state, count(*) FROM push_tokens GROUP BY kind, state ORDER BY kind, state"
    )

    static let scopes = RowColumns<PushScope>().column("scope", \.kind).column("subject", \.subject)

    static let preferences = Statement(
        "push_preferences",
        scopes.types,
        """
        SELECT p.scope, p.subject, p.settings, p.updated_at FROM push_preferences p
        JOIN \(scopes.unnest("asked")) USING (scope, subject)
        """
    )

    /// Returns no row if the subject of the layer does not exist.
    static let setPreferences = Statement(
        "set_push_preferences",
        [.text, .text, .text, .timestamptz],
        """
        INSERT INTO push_preferences (scope, subject, settings, updated_at)
        SELECT $1, $2, $3, $4 WHERE \(PushRows.hasSubject("$1", "$2"))
        ON CONFLICT (scope, subject) DO UPDATE SET (settings, updated_at) = (excluded.settings, excluded.updated_at)
        RETURNING scope
        """
    )

    static let removePreferences = Statement(
        "remove_push_preferences",
        [.text, .text],
        "DELETE FROM push_preferences WHERE scope = $1 AND subject = $2"
    )
}
