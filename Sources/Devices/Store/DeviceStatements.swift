internal import Notifications
internal import Persistence

/// SQL of pairings, devices and their refresh tokens. Each statement is complete by itself: a crash between two
/// statements leaves no inconsistent state.
enum DeviceStatements {
    private static let columns = """
        d.id, d.name, d.owner, d.platform, d.created_at, d.last_seen_at, d.revoked_at,
        EXISTS (SELECT FROM refresh_families f WHERE f.device_id = d.id AND f.revoked_at IS NULL),
        \(GrantStatements.ofDevice),
        (SELECT coalesce(string_agg(k.id::text, ' ' ORDER BY k.id), '') FROM access_keys k
            WHERE k.device_id = d.id AND k.revoked_at IS NULL)
        """

    /// A second run with the same secrets finds the row of the first.
    static let createPairing = Statement(
        "create_pairing",
        [.bytea, .bytea, .timestamptz, .timestamptz, .textArray, .int8Array, .bool],
        """
        INSERT INTO pairings AS p (code_sha256, token_sha256, created_at, expires_at, capabilities, machines, is_first)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
        ON CONFLICT (code_sha256) DO UPDATE SET expires_at = excluded.expires_at
        WHERE p.token_sha256 = excluded.token_sha256 RETURNING p.id
        """
    )

    /// Ends the links of earlier starts. `$1` now.
    static let voidFirst = Statement(
        "void_first_pairings",
        [.timestamptz],
        "UPDATE pairings SET expires_at = $1 WHERE is_first AND used_at IS NULL AND expires_at > $1"
    )

    static let pairing = Statement(
        "pairing",
        [.int8],
        """
        SELECT p.id, p.expires_at,
            coalesce(p.decision, CASE WHEN p.requested_at IS NULL THEN 'none' ELSE 'pending' END), \(columns)
        FROM pairings p LEFT JOIN devices d ON d.pairing_id = p.id WHERE p.id = $1
        """
    )

    /// `$1` the code, `$2` the token that replaces it, `$3` now.
    static let turnInCode = Statement(
        "turn_in_code",
        [.bytea, .bytea, .timestamptz],
        """
        UPDATE pairings SET token_sha256 = $2, code_used_at = $3
        WHERE code_sha256 = $1 AND (code_used_at IS NULL OR token_sha256 = $2) AND used_at IS NULL AND expires_at > $3
        RETURNING id, expires_at
        """
    )

    /// `$1` code or token, `$2` now, `$3` name, `$4` platform, `$5` the first refresh token, `$6` its expiry, `$7`
    /// the address whose request must have been approved, or NULL if no approval is required, `$8` the digest of
    /// the browser's secret, or NULL for a program.
    static let pair = Statement(
        "pair_device",
        [.bytea, .timestamptz, .text, .text, .bytea, .timestamptz, .text, .bytea],
        """
        WITH claimed AS (
            UPDATE pairings SET used_at = $2
            WHERE (token_sha256 = $1 OR code_sha256 = $1 AND code_used_at IS NULL) AND used_at IS NULL
                AND expires_at > $2 AND decision IS DISTINCT FROM 'rejected'
                AND ($7 IS NULL OR decision = 'approved' AND request_peer = $7)
            RETURNING id, capabilities, machines
        ), device AS (
            INSERT INTO devices (pairing_id, name, platform, created_at, last_seen_at)
            SELECT id, $3, $4, $2, $2 FROM claimed RETURNING id, name
        ), granted AS (
            INSERT INTO device_grants (device_id, capability, machines, granted_at)
            SELECT device.id, c, CASE WHEN c IN ('respond', 'control') THEN claimed.machines END, $2
            FROM device, claimed, unnest(claimed.capabilities) c RETURNING capability, machines
        ), family AS (
            INSERT INTO refresh_families (device_id, generation, predecessor, rotated_at, created_at, is_browser,
                browser_sha256)
            SELECT id, 1, 0, $2, $2, $8 IS NOT NULL, $8 FROM device RETURNING id
        ), token AS (
            INSERT INTO refresh_tokens (sha256, family_id, generation, issued_at, expires_at)
            SELECT $5, id, 1, $2, $6 FROM family
        )
        SELECT id, NULL::bigint, name, NULL::text, \(GrantStatements.ofInserted) FROM device
        """
    )

    /// Returns the device that an earlier run with this refresh token created, in case its answer was lost.
    static let paired = Statement(
        "paired_device",
        [.bytea],
        """
        SELECT d.id, d.apple_identity_id, d.name, d.owner, \(GrantStatements.ofDevice)
        FROM refresh_tokens t JOIN refresh_families f ON f.id = t.family_id
        JOIN devices d ON d.id = f.device_id WHERE t.sha256 = $1
        """
    )

    static let refreshToken = Statement(
        "refresh_token",
        [.bytea],
        """
        SELECT f.id, d.id, t.generation, t.expires_at, f.generation, f.valid_from, f.predecessor,
            f.rotated_at,
            f.revoked_at IS NOT NULL OR d.revoked_at IS NOT NULL, f.is_browser, f.browser_sha256
        FROM refresh_tokens t JOIN refresh_families f ON f.id = t.family_id
        JOIN devices d ON d.id = f.device_id
        WHERE t.sha256 = $1
        """
    )

    /// `$1` the family, `$2` its generation when it was read, `$3` the generation of the presented token, `$4` now,
    /// `$5` the new token, `$6` its expiry. Returns no row if the family has changed since it was read. If the token
    /// was used before, the time of its first use is kept.
    static let addRefreshToken = Statement(
        "add_refresh_token",
        [.int8, .int8, .int8, .timestamptz, .bytea, .timestamptz],
        """
        WITH family AS (
            UPDATE refresh_families
            SET generation = generation + 1, predecessor = $3,
                valid_from = CASE WHEN predecessor = $3 THEN valid_from ELSE generation + 1 END,
                rotated_at = CASE WHEN predecessor = $3 THEN rotated_at ELSE $4 END
            WHERE id = $1 AND generation = $2 AND revoked_at IS NULL RETURNING id, device_id, generation
        ), seen AS (
            UPDATE devices SET last_seen_at = greatest(last_seen_at, $4) FROM family WHERE devices.id = family.device_id
        ), expired AS (
            DELETE FROM refresh_tokens USING family WHERE family_id = family.id AND expires_at < $4
        ), token AS (
            INSERT INTO refresh_tokens (sha256, family_id, generation, issued_at, expires_at)
            SELECT $5, id, generation, $4, $6 FROM family ON CONFLICT DO NOTHING
        )
        SELECT id FROM family
        """
    )

    static let revokeFamily = Statement(
        "revoke_refresh_family",
        [.int8, .timestamptz, .text],
        """
        UPDATE refresh_families SET revoked_at = $2, revoked_because = $3 WHERE id = $1 AND revoked_at IS NULL
        """
    )

    /// Removes the push tokens of the devices in the common table expression `revoked` (id), and withdraws their
    /// pending pushes. `$2` now.
    static let disarm = """
        families AS (
            UPDATE refresh_families f SET revoked_at = $2, revoked_because = 'device_revoked' FROM revoked
            WHERE f.device_id = revoked.id AND f.revoked_at IS NULL
        ), tokens AS (
            DELETE FROM push_tokens t USING revoked WHERE t.device_id = revoked.id RETURNING t.id
        ), ended AS (
            UPDATE push_deliveries p SET state = 'withdrawn', reason = NULL, code = 'device_revoked', decided_at = $2
            FROM tokens, push_notices n WHERE p.token_id = tokens.id AND p.state = 'waiting' AND n.id = p.notice_id
            RETURNING n.kind, p.state, p.code
        )
        """

    static let rename = Statement(
        "rename_device",
        [.int8, .text],
        """
        UPDATE devices d SET name = $2
        FROM (SELECT name FROM devices WHERE id = $1 AND revoked_at IS NULL FOR UPDATE) before WHERE d.id = $1
        RETURNING before.name
        """
    )

    static let revokeDevice = Statement(
        "revoke_device",
        [.int8, .timestamptz],
        """
        WITH revoked AS (
            UPDATE devices SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL RETURNING id
        ), \(disarm)
        SELECT r.count, t.* FROM (SELECT (SELECT count(*) FROM tokens) FROM revoked) r (count)
        LEFT JOIN (\(PushTally.select)) t ON true
        """
    )

    static let list = Statement("list_devices", "SELECT \(columns) FROM devices d ORDER BY d.id")

    static let device = Statement("device", [.int8], "SELECT \(columns) FROM devices d WHERE d.id = $1")

    static let active = Statement(
        "active_devices",
        """
        SELECT d.id, d.name, d.owner, \(GrantStatements.ofDevice) FROM devices d
        WHERE d.revoked_at IS NULL
            AND EXISTS (SELECT FROM refresh_families f WHERE f.device_id = d.id AND f.revoked_at IS NULL)
        """
    )
}
