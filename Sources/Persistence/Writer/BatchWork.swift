import EventModel

/// The rows that the transaction of a batch writes.
struct BatchWork {
    let plan: BatchPlan
    let from: LogHead
    let next: LogHead
    let due: LastSeenTracker.Due

    init(_ plan: BatchPlan, from head: LogHead, _ lastSeen: LastSeenTracker) {
        self.plan = plan
        from = head
        next = head.moved(by: plan)
        due = lastSeen.due(for: plan)
    }

    var isEmpty: Bool { plan.fresh.isEmpty }

    /// One round trip. Fails with a NOT NULL violation if the head is not `from`, and with a key violation if an id
    /// exists.
    func commitClaiming(
        on connection: PQConnection,
        onSent: (CommittedBatch) -> Void
    ) throws(PersistenceError) {
        var calls = [
            (WriterStatements.begin, Parameters()), (WriterStatements.claimHead, from.claim(next)),
        ]
        calls += writes
        try commit(calls, on: connection, onSent)
    }

    /// Requires an open transaction that holds the lock of the head.
    func commitUnderLock(
        on connection: PQConnection,
        onSent: (CommittedBatch) -> Void
    ) throws(PersistenceError) {
        try commit(writes + [(WriterStatements.moveHead, Parameters(of: next.lastSeq))], on: connection, onSent)
    }

    private var writes: [(Statement, Parameters)] {
        var calls = [
            (WriterStatements.insertIDs, BatchParameters.ids(plan.fresh)),
            (WriterStatements.insertEvents, BatchParameters.events(plan.fresh)),
        ]
        let changed = plan.sessions.filter(\.isChanged)
        if !changed.isEmpty {
            calls.append((WriterStatements.upsertOwners, Parameters(of: WriterStatements.ownerColumns.arrays(changed))))
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

    private func commit(
        _ calls: [(Statement, Parameters)],
        on connection: PQConnection,
        _ onSent: (CommittedBatch) -> Void
    ) throws(PersistenceError) {
        let results = try connection.pipeline(calls + [(WriterStatements.commit, Parameters())]) {
            onSent(plan.committed)
        }
        // COMMIT in a failed transaction succeeds, but rolls back.
        guard results.last?.commandTag == "COMMIT" else {
            throw PersistenceError(.malformedReply, "the transaction was rolled back by the server")
        }
    }
}

extension LogHead {
    /// The parameters of `WriterStatements.claimHead`.
    fileprivate func claim(_ next: LogHead) -> Parameters {
        Parameters(of: epoch, lastSeq, sessionsRemoved, next.lastSeq)
    }
}
