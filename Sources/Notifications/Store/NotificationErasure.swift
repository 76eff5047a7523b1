package import Persistence

/// Erases pushes, their decisions and preferences.
package enum NotificationErasure {
    private static let ids = "(SELECT session_id FROM erased_sessions)"

    package static let steps = [
        ErasureStep([
            Statement("erase_watches", "DELETE FROM push_watches WHERE session_id IN \(ids)"),
            Statement("erase_activities", "DELETE FROM push_activities WHERE session_id IN \(ids)"),
            Statement("erase_activity_tokens", "DELETE FROM push_tokens WHERE session_id IN \(ids)"),
            Statement(
                "erase_notices",
                """
                DELETE FROM push_notices
                WHERE session_id IN \(ids) OR event_id IN (SELECT event_id FROM erased_events)
                """
            ),
            Statement(
                "erase_preferences",
                """
                DELETE FROM push_preferences WHERE (scope = 'session' AND subject IN \(ids))
                    OR (scope = 'project' AND subject IN (SELECT workspace_id FROM erased_scope))
                """
            ),
        ])
    ]
}
