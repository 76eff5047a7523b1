package import Persistence

/// Erases requests and costs.
package enum UsageErasure {
    package static let steps = [
        ErasureStep([
            Statement(
                "erase_usage_requests",
                """
                DELETE FROM usage_requests u
                WHERE u.session_id IN (SELECT session_id FROM erased_sessions) OR EXISTS (
                    SELECT FROM erased_scope c WHERE u.machine_id = c.machine_id OR u.workspace_id = c.workspace_id)
                """
            ),
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
}
