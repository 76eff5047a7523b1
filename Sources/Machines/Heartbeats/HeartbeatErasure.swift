package import Persistence

/// Erases the reports of machines about their live sessions.
package enum HeartbeatErasure {
    package static let steps = [
        ErasureStep([
            Statement(
                "erase_heartbeats",
                "DELETE FROM machine_heartbeats h USING erased_scope c WHERE h.machine_id = c.machine_id"
            ),
            Statement(
                "erase_approvals",
                "DELETE FROM machine_approvals a USING erased_scope c WHERE a.machine_id = c.machine_id"
            ),
            Statement(
                "erase_live_sessions",
                """
                UPDATE machine_heartbeats h SET sessions = array(
                    SELECT id FROM unnest(h.sessions) AS s (id)
                    WHERE id NOT IN (SELECT claude_id FROM erased_sessions))
                WHERE h.machine_id IN (SELECT machine_id FROM erased_sessions)
                """
            ),
        ])
    ]
}
