internal import Notifications
internal import Persistence

/// SQL of Sign in with Apple. Each statement is complete by itself.
enum AppleStatements {
    /// `$1` SHA-256, `$2` now, `$3` expiry. Deletes expired nonces.
    static let addNonce = Statement(
        "add_sign_in_nonce",
        [.bytea, .timestamptz, .timestamptz],
        """
        WITH expired AS (DELETE FROM sign_in_nonces WHERE expires_at <= $2)
        INSERT INTO sign_in_nonces (sha256, expires_at) VALUES ($1, $3) ON CONFLICT DO NOTHING
        """
    )

    static let useNonce = Statement(
        "use_sign_in_nonce",
        [.bytea, .timestamptz],
        "DELETE FROM sign_in_nonces WHERE sha256 = $1 AND expires_at > $2 RETURNING true"
    )

    /// Creates a device with read access for an admitted person: by an earlier invitation, by the current allowlist,
    /// or by the presented invitation. `$1` subject, `$2` e-mail, `$3` whether the allowlist names the subject, `$4`
    /// the e-mail if the allowlist names it, `$5` all e-mails of the allowlist, `$6` code or token, `$7` now, `$8`
    /// name, `$9` platform, `$10` the first refresh token, `$11` its expiry, `$12` the address whose request must
    /// have been approved, or NULL. Returns no row if the person is not admitted.
    static let signIn = Statement(
        "sign_in_with_apple",
        [
            .text, .text, .bool, .text, .textArray, .bytea, .timestamptz, .text, .text, .bytea, .timestamptz,
            .text,
        ],
        """
        WITH known AS (
            UPDATE apple_identities SET last_seen_at = $7, email = coalesce($2, email)
            WHERE subject = $1 AND (pairing_id IS NOT NULL OR $3 OR allowed_email = ANY ($5)) RETURNING id
        ), claimed AS (
            UPDATE pairings SET used_at = $7
            WHERE $6 IS NOT NULL AND NOT EXISTS (SELECT FROM known)
                AND (token_sha256 = $6 OR code_sha256 = $6 AND code_used_at IS NULL) AND used_at IS NULL
                AND expires_at > $7 AND decision IS DISTINCT FROM 'rejected'
                AND ($12 IS NULL OR decision = 'approved' AND request_peer = $12)
            RETURNING id
        ), bound AS (
            INSERT INTO apple_identities AS i (subject, email, allowed_email, pairing_id, bound_at, last_seen_at)
            SELECT $1, $2, CASE WHEN $3 OR claimed.id IS NOT NULL THEN NULL ELSE $4 END, claimed.id, $7, $7
            FROM (SELECT) AS one LEFT JOIN claimed ON true
            WHERE NOT EXISTS (SELECT FROM known)
                AND ($3 OR claimed.id IS NOT NULL
                    OR $4 IS NOT NULL AND NOT EXISTS (
                        SELECT FROM apple_identities o WHERE o.allowed_email = $4 AND o.subject <> $1))
            ON CONFLICT (subject) DO UPDATE
                SET pairing_id = excluded.pairing_id, allowed_email = excluded.allowed_email, last_seen_at = $7
            RETURNING id
        ), device AS (
            INSERT INTO devices (pairing_id, apple_identity_id, name, owner, platform, created_at, last_seen_at)
            SELECT (SELECT id FROM claimed), person.id, $8, coalesce($2, $1), $9, $7, $7
            FROM (SELECT id FROM known UNION ALL SELECT id FROM bound) AS person
            RETURNING id, apple_identity_id, name, owner
        ), granted AS (
            INSERT INTO device_grants (device_id, capability, granted_at)
            SELECT id, 'read', $7 FROM device RETURNING capability, machines
        ), family AS (
            INSERT INTO refresh_families (device_id, generation, predecessor, rotated_at, created_at)
            SELECT id, 1, 0, $7, $7 FROM device RETURNING id
        ), token AS (
            INSERT INTO refresh_tokens (sha256, family_id, generation, issued_at, expires_at)
            SELECT $10, id, 1, $7, $11 FROM family
        )
        SELECT id, apple_identity_id, name, owner, \(GrantStatements.ofInserted) FROM device
        """
    )

    static let list = Statement(
        "apple_identities",
        """
        SELECT i.id, i.subject, i.email, i.pairing_id IS NOT NULL, i.bound_at, i.last_seen_at,
            (SELECT count(*) FROM devices d WHERE d.apple_identity_id = i.id AND d.revoked_at IS NULL)
        FROM apple_identities i ORDER BY i.id
        """
    )

    /// Removes a person and revokes the person's devices. `$1` id, `$2` now. Returns a row for each device, NULL if
    /// there are none, and no row if the person does not exist. The withdrawn pushes follow.
    static let remove = Statement(
        "remove_apple_identity",
        [.int8, .timestamptz],
        """
        WITH removed AS (
            DELETE FROM apple_identities WHERE id = $1 RETURNING id
        ), revoked AS (
            UPDATE devices SET revoked_at = $2
            FROM removed WHERE devices.apple_identity_id = removed.id AND revoked_at IS NULL RETURNING devices.id
        ), \(DeviceStatements.disarm)
        SELECT revoked.id, NULL AS kind, NULL AS state, NULL AS code, NULL AS count
        FROM removed LEFT JOIN revoked ON true
        UNION ALL SELECT NULL, t.* FROM (\(PushTally.select)) t
        """
    )
}
