internal import Persistence

/// SQL of pairings that a person must approve, and of voiding invitations.
enum ApprovalStatements {
    /// Records the device that requests the pairing, and returns the decision. `$1` code or token, `$2` now, `$3`
    /// name, `$4` platform, `$5` address. Returns no row if the secret is invalid or a device at another address
    /// asked first.
    static let request = Statement(
        "request_pairing",
        [.bytea, .timestamptz, .text, .text, .text],
        """
        UPDATE pairings SET requested_at = coalesce(requested_at, $2),
            request_name = CASE WHEN requested_at IS NULL THEN $3 ELSE request_name END,
            request_platform = CASE WHEN requested_at IS NULL THEN $4 ELSE request_platform END,
            request_peer = coalesce(request_peer, $5)
        WHERE (token_sha256 = $1 OR code_sha256 = $1 AND code_used_at IS NULL) AND used_at IS NULL AND expires_at > $2
            AND (request_peer IS NULL OR request_peer = $5)
        RETURNING id, expires_at, decision, requested_at = $2
        """
    )

    /// `$1` now.
    static let waiting = Statement(
        "waiting_pairings",
        [.timestamptz],
        """
        SELECT id, request_name, request_platform, request_peer, requested_at, expires_at,
            array_to_string(capabilities, ' ') FROM pairings
        WHERE requested_at IS NOT NULL AND decision IS NULL AND used_at IS NULL AND expires_at > $1 ORDER BY id
        """
    )

    /// `$1` id, `$2` decision, `$3` now. Returns no row if no request with this id is waiting.
    static let decide = Statement(
        "decide_pairing",
        [.int8, .text, .timestamptz],
        """
        UPDATE pairings SET decision = $2, decided_at = $3
        WHERE id = $1 AND requested_at IS NOT NULL AND used_at IS NULL AND expires_at > $3
            AND coalesce(decision, $2) = $2
        RETURNING id
        """
    )

    /// Ends every unused invitation. `$1` now.
    static let voidAll = Statement(
        "void_pairings",
        [.timestamptz],
        "UPDATE pairings SET expires_at = $1 WHERE used_at IS NULL AND expires_at > $1 RETURNING id"
    )
}
