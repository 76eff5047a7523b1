/// SQL of the projects.
enum ProjectStatements {
    /// `$1`: sessions active since this time count as active. One pass over the sessions, shared by the statistics.
    private static let source = """
        FROM workspaces w LEFT JOIN machines m ON m.id = w.machine_id
        LEFT JOIN (
            SELECT workspace_id, count(*) AS total, max(last_seq) AS last_seq, max(last_activity_at) AS at,
                count(*) FILTER (WHERE ended_at IS NULL AND last_activity_at > $1) AS active
            FROM sessions WHERE workspace_id IS NOT NULL GROUP BY workspace_id
        ) s ON s.workspace_id = w.id
        WHERE (w.hidden_at_seq IS NULL OR s.last_seq > w.hidden_at_seq)
        """

    private static let columns = """
        w.id, w.machine_id, m.name, w.path, w.name, w.description, w.settings, w.created_at,
        greatest(w.updated_at, w.last_activity_at, s.at), w.last_activity_at, coalesce(s.total, 0),
        coalesce(s.active, 0)
        """

    /// True for a row of `workspaces` that a list shows.
    static func isShown(_ row: String = "workspaces") -> String {
        """
        (\(row).hidden_at_seq IS NULL OR \(row).hidden_at_seq
            < (SELECT max(last_seq) FROM sessions s WHERE s.workspace_id = \(row).id))
        """
    }

    private static let onMachine = "($2 IS NULL OR m.id = $2) AND ($3 IS NULL OR m.reported_name = $3)"

    static let page = Statement(
        "projects",
        [.timestamptz, .int8, .text, .timestamptz, .text, .int8, .int8],
        """
        SELECT \(columns) \(source) AND \(onMachine) AND ($4 IS NULL OR (w.last_activity_at, w.id) < ($4, $5))
        ORDER BY w.last_activity_at DESC, w.id DESC LIMIT $6 OFFSET $7
        """
    )

    static let count = Statement(
        "count_projects",
        [.timestamptz, .int8, .text],
        "SELECT count(*) \(source) AND \(onMachine)"
    )

    static let project = Statement("project", [.timestamptz, .text], "SELECT \(columns) \(source) AND w.id = $2")

    static let settings = Statement(
        "project_settings",
        [.text],
        "SELECT settings FROM workspaces WHERE id = $1 AND \(isShown())"
    )

    /// Machines that have posted or may post.
    static let machines = Statement(
        "machines_for_projects",
        """
        SELECT m.id, m.name FROM machines m
        WHERE m.id <> 0 AND (m.last_seen_at IS NOT NULL
            OR EXISTS (SELECT FROM access_keys k WHERE k.machine_id = m.id AND k.revoked_at IS NULL))
        ORDER BY m.name
        """
    )

    /// `$1`: ids of projects, separated by commas. Hidden projects are included.
    static let machinesOfProjects = Statement(
        "machines_of_projects",
        [.text],
        "SELECT machine_id FROM workspaces WHERE id = ANY (string_to_array($1, ',')) AND machine_id IS NOT NULL"
    )

    /// Returns no row if a visible project has this id.
    static let create = Statement(
        "create_project",
        [.text, .int8, .text, .text, .text, .text],
        """
        INSERT INTO workspaces (id, machine_id, path, name, description, settings, last_activity_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, now(), now())
        ON CONFLICT (id) DO UPDATE SET (name, description, settings, updated_at, hidden_at_seq)
            = (excluded.name, excluded.description, excluded.settings, now(), NULL)
            WHERE NOT coalesce(\(isShown()), false)
        RETURNING id
        """
    )

    /// `$3` and `$5` are flags: whether description and settings are set.
    static let change = Statement(
        "change_project",
        [.text, .text, .bool, .text, .bool, .text],
        """
        UPDATE workspaces SET name = coalesce($2, name), updated_at = now(),
            description = CASE WHEN $3 THEN $4 ELSE description END,
            settings = CASE WHEN $5 THEN $6 ELSE settings END
        WHERE id = $1 AND \(isShown()) RETURNING id
        """
    )

    static let hide = Statement(
        "hide_project",
        [.text],
        """
        UPDATE workspaces
        SET hidden_at_seq = (SELECT last_seq FROM log_head), updated_at = now(), auto_start = false
        WHERE id = $1 AND \(isShown()) RETURNING id
        """
    )
}
