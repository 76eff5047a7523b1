import EventModel

/// The rows that the transaction of a batch writes.
struct BatchWork {
    let plan: BatchPlan
    let from: LogHead
    let due: LastSeenTracker.Due

    init(_ plan: BatchPlan, from head: LogHead, _ lastSeen: LastSeenTracker) {
        self.plan = plan
        from = head
        due = lastSeen.due(for: plan)
    }

    var isEmpty: Bool { plan.fresh.isEmpty }

    /// One round trip, which also begins the transaction. Fails with a NOT NULL violation if the epoch or the
    /// owners of sessions have changed since `from`. Fails with a unique violation if another server has stored one of
    /// the events or has begun one of the sessions.
    ///
    /// - Returns: the plan with the positions that it got, and the end of the log after it.
    func commitClaiming(
        on connection: PQConnection,
        onSent: (CommittedBatch) -> Void
    ) throws(PersistenceError) -> (plan: BatchPlan, head: LogHead) {
        try commit([(WriterStatements.begin, Parameters())], on: connection, onSent)
    }

    /// Requires an open transaction that holds the lock of the head, and has read `from` under it.
    func commitUnderLock(
        on connection: PQConnection,
        onSent: (CommittedBatch) -> Void
    ) throws(PersistenceError) -> (plan: BatchPlan, head: LogHead) {
        try commit([], on: connection, onSent)
    }

    private var writes: [(Statement, Parameters)] {
        var calls = [
            (WriterStatements.insertIDs, BatchParameters.ids(plan.fresh)),
            (WriterStatements.insertEvents, BatchParameters.events(plan.fresh)),
        ]
        let begun = plan.sessions.filter(\.isNew)
        if !begun.isEmpty {
            calls.append((WriterStatements.insertOwners, Parameters(of: WriterStatements.ownerColumns.arrays(begun))))
        }
        if !movedSessions.isEmpty {
            calls.append(
                (WriterStatements.upsertOwners, Parameters(of: WriterStatements.ownerColumns.arrays(movedSessions)))
            )
        }
        if !due.workspaces.isEmpty {
            calls.append(
                (
                    WriterStatements.upsertWorkspaces,
                    Parameters(of: WriterStatements.workspaceColumns.arrays(due.workspaces))
                )
            )
        }
        if !due.machines.isEmpty {
            calls.append(
                (
                    WriterStatements.touchMachines,
                    Parameters(of: WriterStatements.machineColumns.arrays(due.machines))
                )
            )
        }
        return calls
    }

    /// Sessions of earlier commits whose directory changes.
    private var movedSessions: [BatchPlan.PlannedSession] { plan.sessions.filter { $0.isChanged && !$0.isNew } }

    private func commit(
        _ opening: [(Statement, Parameters)],
        on connection: PQConnection,
        _ onSent: (CommittedBatch) -> Void
    ) throws(PersistenceError) -> (plan: BatchPlan, head: LogHead) {
        let changes: Int64 = movedSessions.isEmpty ? 0 : 1
        let claim = Parameters(of: from.epoch, from.ownerChanges, Int64(plan.fresh.count), changes)
        let calls = opening + [(WriterStatements.claimHead, claim)] + writes + [(WriterStatements.commit, Parameters())]
        let results = try connection.pipeline(calls) { onSent(plan.committed) }
        // COMMIT in a failed transaction succeeds, but rolls back.
        guard results.last?.commandTag == "COMMIT" else {
            throw PersistenceError(.malformedReply, "the transaction was rolled back by the server")
        }
        let head = try LogHead(results[opening.count].firstRow)
        return (plan.moved(to: head.lastSeq - Int64(plan.fresh.count) + 1), head)
    }
}
