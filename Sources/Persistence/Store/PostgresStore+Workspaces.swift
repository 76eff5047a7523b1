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
                total: try result.firstRow?.value(7) ?? 0
            )
        }
    }

    package func workspace(id: String) async throws(PersistenceError) -> WorkspaceRecord? {
        try await runProjected { connection throws(PersistenceError) in
            let parameters = Parameters(of: id)
            return try connection.query(WorkspaceStatements.one, parameters).firstValue()
        }
    }

    /// - Parameters:
    ///   - name: if `nil`, an existing workspace keeps its name and a new one is named after its path.
    ///   - autoStart: if `nil`, an existing workspace keeps it, and for a new one it is false.
    package func addWorkspace(
        machine: MachineID,
        path: String,
        name: String?,
        autoStart: Bool? = nil
    ) async throws(PersistenceError) -> WorkspaceRecord? {
        try await pool.run { connection throws(PersistenceError) in
            let parameters = Parameters(
                of: WorkspaceID.make(machine: machine, path: path),
                machine,
                path,
                name,
                DirectoryPath.lastPart(of: path),
                autoStart
            )
            return try connection.query(WorkspaceStatements.add, parameters).firstValue()
        }
    }

    /// What is `nil` stays as it is. Returns `nil` if the workspace does not exist.
    package func changeWorkspace(
        id: String,
        name: String?,
        autoStart: Bool? = nil
    ) async throws(PersistenceError) -> WorkspaceRecord? {
        try await runProjected { connection throws(PersistenceError) in
            let parameters = Parameters(of: id, name, autoStart)
            return try connection.query(WorkspaceStatements.change, parameters).firstValue()
        }
    }

    /// The workspaces of a machine in which its agent opens a session when it starts.
    package func workspacesToOpen(on machine: MachineID) async throws(PersistenceError) -> [WorkspaceRecord] {
        try await runProjected { connection throws(PersistenceError) in
            try connection.query(WorkspaceStatements.toOpen, Parameters(of: machine)).values()
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
    private static let columns = "w.id, w.name, w.path, m.name, w.created_at, w.last_activity_at, w.auto_start"

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
        [.text, .int8, .text, .text, .text, .bool],
        """
        WITH w AS (
            INSERT INTO workspaces (id, machine_id, path, name, last_activity_at, updated_at, auto_start)
            VALUES ($1, $2, $3, coalesce($4, $5), now(), now(), coalesce($6, false))
            ON CONFLICT (id) DO UPDATE
                SET name = coalesce($4, workspaces.name), updated_at = now(), hidden_at_seq = NULL,
                    auto_start = coalesce($6, workspaces.auto_start)
            RETURNING *
        )
        SELECT \(columns) FROM w JOIN machines m ON m.id = w.machine_id
        """
    )

    static let toOpen = Statement(
        "workspaces_to_open",
        [.int8],
        "SELECT \(columns) \(shown) AND w.machine_id = $1 AND w.auto_start ORDER BY w.path LIMIT 64"
    )

    static let change = Statement(
        "change_workspace",
        [.text, .text, .bool],
        """
        WITH w AS (
            UPDATE workspaces
            SET name = coalesce($2, name), auto_start = coalesce($3, auto_start), updated_at = now()
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
