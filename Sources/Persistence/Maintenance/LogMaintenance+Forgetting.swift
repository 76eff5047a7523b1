internal import EventModel

/// Deletes rows that depend on the log: after the same retention, or when their subject no longer exists.
extension LogMaintenance {
    /// Maximum number of rows that one statement deletes, which bounds its duration.
    private static let portion: Int64 = 10_000
    /// How long notices and the push decisions about them are kept.
    private static let noticeSeconds = 30 * 86_400.0
    /// How long the watch state of a silent session is kept.
    private static let watchSeconds = 7 * 86_400.0
    /// A pairing is valid for minutes. Its row is kept longer so that its creator can still query the outcome.
    private static let pairingSeconds = 86_400.0

    /// - Parameter cutoff: events received before this time are past the retention.
    static func forgetDependents(
        of cutoff: Timestamp,
        now: Timestamp,
        on connection: PQConnection
    ) throws(PersistenceError) {
        try forget(notices, before: max(cutoff, now.adding(seconds: -noticeSeconds)), on: connection)
        try forget(watches, before: max(cutoff, now.adding(seconds: -watchSeconds)), on: connection)
        try forget(activities, before: max(cutoff, now.adding(seconds: -watchSeconds)), on: connection)
        try forget(pairings, before: now.adding(seconds: -pairingSeconds), on: connection)
        try forget(projects, before: cutoff, on: connection)
        try forget(transcriptLines, before: cutoff, on: connection)
        try forget(transcriptFiles, before: cutoff, on: connection)
        try forget(searchEvents, before: cutoff, on: connection)
        _ = try connection.query(preferences)
    }

    private static func forget(
        _ statement: Statement,
        before time: Timestamp,
        on connection: PQConnection
    ) throws(PersistenceError) {
        while try Int64(connection.query(statement, Parameters(of: time, portion)).affectedRows) == portion {}
    }

    private static let transcriptLines = Statement(
        "forget_transcript_lines",
        [.timestamptz, .int8],
        """
        DELETE FROM transcript_lines WHERE id IN (
            SELECT id FROM transcript_lines WHERE received_at < $1 ORDER BY received_at LIMIT $2)
        """
    )

    /// If a deleted file grows again, it is read from its beginning.
    private static let transcriptFiles = Statement(
        "forget_transcript_files",
        [.timestamptz, .int8],
        """
        DELETE FROM transcript_files WHERE id IN (SELECT id FROM transcript_files WHERE updated_at < $1 LIMIT $2)
        """
    )

    /// Deletes the texts of events that are dropped.
    private static let searchEvents = Statement(
        "forget_search_events",
        [.timestamptz, .int8],
        """
        DELETE FROM search_events WHERE seq IN (
            SELECT seq FROM search_events
            WHERE seq < (SELECT coalesce((SELECT min(seq) FROM events), last_seq + 1) FROM log_head)
                AND $1 IS NOT NULL LIMIT $2)
        """
    )

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

    /// Pairings that no device used.
    private static let pairings = Statement(
        "forget_pairings",
        [.timestamptz, .int8],
        """
        DELETE FROM pairings WHERE id IN (
            SELECT p.id FROM pairings p WHERE p.expires_at < $1
                AND NOT EXISTS (SELECT FROM devices d WHERE d.pairing_id = p.id)
                AND NOT EXISTS (SELECT FROM apple_identities i WHERE i.pairing_id = p.id)
            LIMIT $2)
        """
    )

    /// Projects that no person has edited or that a person has removed. A concurrent event creates the project again.
    private static let projects = Statement(
        "forget_projects",
        [.timestamptz, .int8],
        """
        DELETE FROM workspaces WHERE id IN (
            SELECT w.id FROM workspaces w
            WHERE w.last_activity_at < $1 AND (w.updated_at IS NULL OR w.hidden_at_seq IS NOT NULL)
                AND NOT EXISTS (SELECT FROM sessions s WHERE s.workspace_id = w.id)
                AND NOT EXISTS (SELECT FROM push_preferences p WHERE p.scope = 'project' AND p.subject = w.id)
            LIMIT $2)
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
