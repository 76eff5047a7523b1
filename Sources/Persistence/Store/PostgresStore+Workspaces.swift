package import EventModel

extension PostgresStore {
    /// The number of matching events; ignores the query's limit and offset.
    package func eventCount(_ query: EventQuery) async throws(PersistenceError) -> Int64 {
        try await pool.run { connection throws(PersistenceError) in
            let (statement, parameters) = EventSelection.count(query)
            return try connection.query(statement, parameters).firstValue() ?? 0
        }
    }

    package func workspaces() async throws(PersistenceError) -> WorkspacePage {
        try await runProjected { connection throws(PersistenceError) in
            let result = try connection.query(WorkspaceStatements.list)
            return WorkspacePage(
                workspaces: try result.values(),
                total: try result.firstRow?.value(6) ?? 0
            )
        }
    }

    package func workspace(id: String) async throws(PersistenceError) -> WorkspaceRecord? {
        try await runProjected { connection throws(PersistenceError) in
            let parameters = Parameters(of: id)
            return try connection.query(WorkspaceStatements.one, parameters).firstValue()
        }
    }

    /// - Parameter name: if `nil`, an existing workspace keeps its name and a new one is named after its path.
    package func addWorkspace(
        machine: MachineID,
        path: String,
        name: String?
    ) async throws(PersistenceError) -> WorkspaceRecord? {
        try await pool.run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: WorkspaceID.make(machine: machine, path: path),
                machine,
                path,
                name,
                DirectoryPath.lastPart(of: path)
            )
            return try connection.query(WorkspaceStatements.add, parameters).firstValue()
        }
    }

    /// Returns `nil` if the workspace does not exist.
    package func renameWorkspace(id: String, name: String) async throws(PersistenceError) -> WorkspaceRecord? {
        try await runProjected { connection throws(PersistenceError) in
            let parameters = Parameters(of: id, name)
            return try connection.query(WorkspaceStatements.rename, parameters).firstValue()
        }
    }

    /// The workspace's sessions and events stay. Its next event creates it again.
    package func removeWorkspace(id: String) async throws(PersistenceError) -> Bool {
        try await delete(ProjectStatements.hide, id)
    }

    /// The session's events stay in the log until retention drops them. A later event creates the session again.
    package func deleteSession(id: String) async throws(PersistenceError) -> Bool {
        try await runProjected { connection throws(PersistenceError) in
            let parameters = Parameters(of: id)
            // The projector and the writers take these locks in the same order.
            let results = try connection.pipeline([
                (ProjectionStatements.hold, ProjectionStatements.named(SessionProjection.name)),
                (WorkspaceStatements.lockHead, Parameters()), (WorkspaceStatements.deleteSession, parameters),
            ])
            return results.last?.firstRow != nil
        }
    }

    private func delete(_ statement: Statement, _ id: String) async throws(PersistenceError) -> Bool {
        try await runProjected { connection throws(PersistenceError) in
            return try connection.query(statement, Parameters(of: id)).firstRow != nil
        }
    }
}

/// SQL of workspaces: projects that are a directory on a machine.
private enum WorkspaceStatements {
    private static let columns = "w.id, w.name, w.path, m.name, w.created_at, w.last_activity_at"

    private static let shown = """
        FROM workspaces w JOIN machines m ON m.id = w.machine_id
        WHERE w.path IS NOT NULL AND \(ProjectStatements.isShown("w"))
        """

    static let list = Statement(
        "workspaces",
        "SELECT \(columns), count(*) OVER () \(shown) ORDER BY w.last_activity_at DESC, w.id LIMIT 500"
    )

    static let one = Statement("workspace", [.text], "SELECT \(columns) \(shown) AND w.id = $1")

    static let add = Statement(
        "add_workspace",
        [.text, .int8, .text, .text, .text],
        """
        WITH w AS (
            INSERT INTO workspaces (id, machine_id, path, name, last_activity_at, updated_at)
            VALUES ($1, $2, $3, coalesce($4, $5), now(), now())
            ON CONFLICT (id) DO UPDATE
                SET name = coalesce($4, workspaces.name), updated_at = now(), hidden_at_seq = NULL
            RETURNING *
        )
        SELECT \(columns) FROM w JOIN machines m ON m.id = w.machine_id
        """
    )

    static let rename = Statement(
        "rename_workspace",
        [.text, .text],
        """
        WITH w AS (
            UPDATE workspaces SET name = $2, updated_at = now()
            WHERE id = $1 AND \(ProjectStatements.isShown()) RETURNING *
        )
        SELECT \(columns) FROM w JOIN machines m ON m.id = w.machine_id
        """
    )

    /// This lock is taken before any session is locked, as in the writers.
    static let lockHead = Statement("lock_head_to_delete", "SELECT FROM log_head FOR UPDATE")

    /// Makes the writers and the projector discard their cached state of the session. Its events up to now are ignored,
    /// even by a rebuild.
    static let deleteSession = Statement(
        "delete_session",
        [.text],
        """
        WITH gone AS (
            DELETE FROM sessions WHERE id = $1 RETURNING id
        ), disowned AS (
            DELETE FROM session_owners WHERE session_id = $1
        ), noted AS (
            INSERT INTO removed_sessions SELECT gone.id, h.last_seq FROM gone, log_head h
            ON CONFLICT (session_id) DO UPDATE SET through_seq = excluded.through_seq
        ), forgotten AS (
            UPDATE projections SET generation = generation + 1 FROM gone WHERE name = '\(SessionProjection.name)'
        )
        UPDATE log_head SET sessions_removed = sessions_removed + 1 FROM gone RETURNING gone.id
        """
    )
}

/// The columns of `WorkspaceStatements.columns`.
extension WorkspaceRecord: PGColumn {
    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        self = try row.make(from: column, WorkspaceRecord.init)
    }
}
