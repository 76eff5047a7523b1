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

    /// Takes the lock and moves the head by `$3`, and the count of changes of owners by `$4`. If the epoch or that
    /// count is not `$1`, `$2`, `last_seq` becomes NULL, which violates its constraint and aborts the transaction.
    static let claimHead = Statement(
        "claim_head",
        [.text, .int8, .int8, .int8],
        """
        UPDATE log_head SET sessions_removed = sessions_removed + $4,
            last_seq = CASE WHEN (epoch, sessions_removed) = ($1, $2) THEN last_seq + $3 END
        RETURNING epoch, last_seq, sessions_removed
        """
    )

    static let knownIDs = Statement(
        "known_ids",
        [.uuidArray],
        "SELECT event_id, seq FROM event_ids WHERE event_id = ANY ($1)"
    )

    /// The positions of events with these ids and times of receipt, in their order. Another server that has committed
    /// the same events has received them at other times.
    static let committed = Statement(
        "committed_ids",
        [.uuidArray, .timestamptzArray],
        """
        SELECT i.seq FROM unnest($1, $2) WITH ORDINALITY AS planned (id, at, number)
        JOIN event_ids i ON i.event_id = planned.id AND i.received_at = planned.at ORDER BY planned.number
        """
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
        """
        INSERT INTO event_ids (event_id, seq, received_at)
        SELECT id, (SELECT last_seq FROM log_head) + distance, at FROM unnest($1, $2, $3) AS i (id, distance, at)
        """
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
        SELECT (SELECT last_seq FROM log_head) + e.seq, event_id, type, hook_event_name, occurred_at, received_at,
            machine_id, machine_name, reported_name, session_id, workspace_id, project_path, tool_name, summary,
            payload, facts
        FROM unnest($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) AS e (seq, event_id, type,
            hook_event_name, occurred_at, received_at, machine_id, machine_name, reported_name, session_id,
            workspace_id, project_path, tool_name, summary, payload, facts)
        """
    )

    static let ownerColumns = RowColumns<BatchPlan.PlannedSession>()
        .column("session_id", \.id).column("machine_id", \.owner.machine)
        .column("project_path", \.owner.path?.text).column("path_at", \.owner.path?.order.time)
        .column("path_event", \.owner.path?.order.id)

    /// Fails if another server has begun one of the sessions meanwhile.
    static let insertOwners = Statement(
        "insert_owners",
        ownerColumns.types,
        "INSERT INTO session_owners (\(ownerColumns.names)) SELECT * FROM \(ownerColumns.unnest("o"))"
    )

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

    static let commit = Statement("commit_batch", "COMMIT")
    static let rollback = Statement("rollback_batch", "ROLLBACK")

    /// Changes nothing. Waits for a commit in progress, and fails where a batch would fail: missing schema,
    /// read-only, in recovery.
    static let probe = Statement("probe", "UPDATE log_head SET last_seq = last_seq RETURNING epoch, last_seq")
}
