package import Persistence

/// Deletes pushes, their decisions and preferences after the retention.
package enum NotificationRetention {
    /// How long notices and the push decisions about them are kept.
    private static let noticeSeconds = 30 * 86_400.0
    /// How long the watch state of a silent session is kept.
    private static let watchSeconds = 7 * 86_400.0

    package static let steps: [RetentionStep] = [
        .portions(notices, .ofEvents(atMost: noticeSeconds)),
        .portions(watches, .ofEvents(atMost: watchSeconds)),
        .portions(activities, .ofEvents(atMost: watchSeconds)),
        .keepsProject("EXISTS (SELECT FROM push_preferences p WHERE p.scope = 'project' AND p.subject = w.id)"),
        .orphans(preferences),
    ]

    /// Deletes notices with their deliveries in any state: at that age none is useful.
    private static let notices = Statement(
        "forget_notices",
        [.timestamptz, .int8],
        """
        DELETE FROM push_notices WHERE id IN (
            SELECT id FROM push_notices WHERE raised_at < $1 ORDER BY raised_at LIMIT $2)
        """
    )

    private static let watches = Statement(
        "forget_watches",
        [.timestamptz, .int8],
        """
        DELETE FROM push_watches WHERE session_id IN (
            SELECT session_id FROM push_watches WHERE updated_at < $1 ORDER BY updated_at LIMIT $2)
        """
    )

    private static let activities = Statement(
        "forget_activities",
        [.timestamptz, .int8],
        """
        DELETE FROM push_activities WHERE (device_id, session_id) IN (
            SELECT device_id, session_id FROM push_activities WHERE updated_at < $1 LIMIT $2)
        """
    )

    /// Preferences of sessions, projects and devices that no longer exist.
    private static let preferences = Statement(
        "forget_preferences",
        """
        DELETE FROM push_preferences p WHERE NOT \(PushRows.hasSubject("p.scope", "p.subject"))
        """
    )
}
