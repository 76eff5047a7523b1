import EventModel
import Sessions

/// The SQL of one batch, in the order in which it is sent.
enum WriterStatements {
    /// Fails if the disk has no space for a megabyte, and leaves the transaction open then. Of two servers that look at
    /// the same time, one waits until the other has rolled back.
    static let probeSpace = """
        BEGIN;
        CREATE UNLOGGED TABLE claude_monitor_space AS
            SELECT repeat('x', 1000) AS filler FROM generate_series(1, 1000);
        ROLLBACK
        """

    static let begin = Statement("begin_batch", "BEGIN ISOLATION LEVEL READ COMMITTED")

    /// Held until commit. The next writer, on any node, waits here and then sees everything that this one wrote.
    static let lockHead = Statement(
        "lock_head",
        "SELECT epoch, last_seq, sessions_removed FROM log_head FOR UPDATE"
    )

    /// Takes the lock and moves the head from `$1`-`$3` to `$4` in one statement. If the head differs, `last_seq`
    /// becomes NULL, which violates its constraint and aborts the transaction.
    static let claimHead = Statement(
        "claim_head",
        [.text, .int8, .int8, .int8],
        """
        UPDATE log_head SET last_seq = CASE WHEN (epoch, last_seq, sessions_removed) = ($1, $2, $3) THEN $4 END
        """
    )

    static let knownIDs = Statement(
        "known_ids",
        [.uuidArray],
        "SELECT event_id, seq FROM event_ids WHERE event_id = ANY ($1)"
    )

    static let owners = Statement(
        "owners",
        [.textArray],
        """
        SELECT session_id, machine_id, project_path, path_at, path_event FROM session_owners
        WHERE session_id = ANY ($1)
        """
    )

    static let insertIDs = Statement(
        "insert_ids",
        [.uuidArray, .int8Array, .timestamptzArray],
        "INSERT INTO event_ids (event_id, seq, received_at) SELECT * FROM unnest($1, $2, $3)"
    )

    static let insertEvents = Statement(
        "insert_events",
        [
            .int8Array, .uuidArray, .textArray, .textArray, .timestamptzArray, .timestamptzArray, .int8Array,
            .textArray, .textArray, .textArray, .textArray, .textArray, .textArray, .textArray, .textArray, .textArray,
        ],
        """
        INSERT INTO events (seq, event_id, type, hook_event_name, occurred_at, received_at, machine_id, machine_name,
            reported_name, session_id, workspace_id, project_path, tool_name, summary, payload, facts)
        SELECT * FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
        """
    )

    static let ownerColumns = RowColumns<BatchPlan.PlannedSession>()
        .column("session_id", \.id).column("machine_id", \.owner.machine)
        .column("project_path", \.owner.path?.text).column("path_at", \.owner.path?.order.time)
        .column("path_event", \.owner.path?.order.id)

    static let upsertOwners = Statement(
        "upsert_owners",
        ownerColumns.types,
        """
        INSERT INTO session_owners (\(ownerColumns.names)) SELECT * FROM \(ownerColumns.unnest("o"))
        ON CONFLICT (session_id) DO UPDATE SET (machine_id, project_path, path_at, path_event)
            = (excluded.machine_id, excluded.project_path, excluded.path_at, excluded.path_event)
        """
    )

    static let workspaceColumns = RowColumns<WorkspaceLastSeen>()
        .column("id", \.id).column("machine_id", \.machine).column("path", \.path).column("name", \.name)
        .column("last_activity_at", \.at)

    static let upsertWorkspaces = Statement(
        "upsert_workspaces",
        workspaceColumns.types,
        """
        INSERT INTO workspaces (\(workspaceColumns.names)) SELECT * FROM \(workspaceColumns.unnest("w"))
        ON CONFLICT (id) DO UPDATE SET
            last_activity_at = greatest(workspaces.last_activity_at, excluded.last_activity_at)
        """
    )

    static let machineColumns = RowColumns<MachineLastSeen>()
        .column("id", \.machine).column("name", \.name).column("at", \.at)

    static let touchMachines = Statement(
        "touch_machines",
        machineColumns.types,
        """
        UPDATE machines SET reported_name = seen.name, last_seen_at = greatest(machines.last_seen_at, seen.at)
        FROM \(machineColumns.unnest("seen")) WHERE machines.id = seen.id
        """
    )

    static let moveHead = Statement("move_head", [.int8], "UPDATE log_head SET last_seq = $1")
    static let commit = Statement("commit_batch", "COMMIT")
    static let rollback = Statement("rollback_batch", "ROLLBACK")

    /// Changes nothing. Waits for a commit in progress, and fails where a batch would fail: missing schema,
    /// read-only, in recovery.
    static let probe = Statement("probe", "UPDATE log_head SET last_seq = last_seq RETURNING epoch, last_seq")
}
