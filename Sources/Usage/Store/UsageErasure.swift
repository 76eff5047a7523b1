package import Persistence

/// Erases requests and costs.
package enum UsageErasure {
    package static let steps = [
        ErasureStep([
            rememberRequests,
            Statement(
                "erase_usage_requests",
                """
                DELETE FROM usage_requests u USING erased_requests e
                WHERE (u.key, u.machine_id) = (e.key, e.machine_id)
                """
            ),
            inheritByID,
            inheritByKey,
            Statement(
                "erase_usage_sessions",
                "DELETE FROM usage_sessions WHERE session_id IN (SELECT session_id FROM erased_sessions)"
            ),
            Statement(
                "erase_usage_copies",
                "DELETE FROM usage_copies WHERE session_id IN (SELECT session_id FROM erased_sessions)"
            ),
            Statement(
                "erase_usage_streams",
                "DELETE FROM usage_streams WHERE session_id IN (SELECT session_id FROM erased_sessions)"
            ),
            Statement(
                "note_usage_erased",
                """
                INSERT INTO usage_erased (machine_id, session)
                SELECT machine_id, sha256(convert_to(claude_id, 'UTF8')) FROM erased_sessions ON CONFLICT DO NOTHING
                """
            ),
        ])
    ]

    private static let rememberRequests = Statement(
        "remember_erased_requests",
        """
        CREATE TEMPORARY TABLE erased_requests ON COMMIT DROP AS
        SELECT u.key, u.machine_id, u.request_id, \(RequestPairingStatements.claudeID) AS claude_id
        FROM usage_requests u
        WHERE u.session_id IN (SELECT session_id FROM erased_sessions) OR EXISTS (
            SELECT FROM erased_scope c WHERE u.machine_id = c.machine_id OR u.workspace_id = c.workspace_id)
        """
    )

    /// A request that another machine reported too counts there now.
    private static let inheritByID = Statement(
        "inherit_usage_requests_by_id",
        RequestPairingStatements.firstByID(
            of: "(SELECT DISTINCT request_id FROM erased_requests WHERE request_id IS NOT NULL)",
            in: "(SELECT DISTINCT claude_id FROM erased_requests WHERE request_id IS NOT NULL)"
        )
    )

    private static let inheritByKey = Statement(
        "inherit_usage_requests_by_key",
        RequestPairingStatements.firstByKey(
            of: "(SELECT DISTINCT key FROM erased_requests WHERE request_id IS NULL)"
        )
    )
}
