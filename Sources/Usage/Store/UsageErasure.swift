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
            // A request that another machine reported too counts there now.
            Statement(
                "inherit_usage_requests",
                """
                UPDATE usage_requests u SET is_first = 1
                WHERE u.is_first = 0 AND u.is_counted = 1 AND NOT EXISTS (
                    SELECT FROM usage_requests o WHERE o.is_first = 1 AND o.is_counted = 1
                        AND o.key >= 'r:' || u.request_id || ' ' AND o.key < 'r:' || u.request_id || '!'
                        AND o.request_id = u.request_id)
                    AND NOT EXISTS (SELECT FROM usage_requests o WHERE o.key = u.key AND o.is_first = 1)
                    AND NOT EXISTS (
                        SELECT FROM usage_requests o WHERE o.is_first = 0 AND o.is_counted = 1
                            AND (o.key = u.key OR o.request_id = u.request_id)
                            AND (o.first_seq, o.machine_id) < (u.first_seq, u.machine_id))
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
