internal import EventModel

/// What is kept beside the log and hangs on it: it goes by the same retention, or when what it is about has gone.
extension LogMaintenance {
    /// Rows that one statement deletes, so that none takes long.
    private static let portion: Int64 = 10_000
    /// What was told, and decided about it, is of use for so long.
    private static let noticeSeconds = 30 * 86_400.0
    /// So long is remembered what is going on in a session that says nothing.
    private static let watchSeconds = 7 * 86_400.0
    /// A pairing lives for minutes; whoever made it may still ask what became of it.
    private static let pairingSeconds = 86_400.0

    /// - Parameter cutoff: what was received before it is past the retention.
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
        _ = try connection.query(preferences)
    }

    private static func forget(
        _ statement: Statement,
        before time: Timestamp,
        on connection: PQConnection
    ) throws(PersistenceError) {
        var parameters = Parameters()
        parameters.add(time)
        parameters.add(portion)
        while try Int64(connection.query(statement, parameters).affectedRows) == portion {}
    }

    /// With their deliveries, whatever state those are in: nothing of that age is of use to anybody.
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

    /// Those that nobody came in by.
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

    /// Those that no person has said anything of, or that a person has removed. An event that comes meanwhile makes it
    /// anew.
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

    /// Of sessions, projects and devices that have gone.
    private static let preferences = Statement(
        "forget_preferences",
        """
        DELETE FROM push_preferences p WHERE NOT \(PushRows.hasSubject("p.scope", "p.subject"))
        """
    )
}
