import EventModel

/// A batch that did not go through.
struct CommitFailure: Error {
    var error: PersistenceError
    /// Set where the connection was lost after the commit was sent: then only the database knows whether it happened.
    var uncertain: BatchPlan?
}

/// Runs the transaction of a batch: one round trip to learn what there is, one to write and commit.
struct BatchCommitter {
    private var touches = TouchBook()

    /// After a failure the transaction is rolled back, or the connection is lost.
    mutating func commit(
        _ events: ArraySlice<MonitorEvent>,
        on connection: PQConnection
    ) throws(CommitFailure) -> BatchPlan {
        let plan: BatchPlan
        do throws(PersistenceError) {
            plan = BatchPlan(events: events, snapshot: try BatchCommitter.snapshot(for: events, on: connection))
            if plan.fresh.isEmpty {
                _ = try connection.query(WriterStatements.rollback)
                return plan
            }
        } catch {
            throw CommitFailure(error: BatchCommitter.rollBack(connection, after: error), uncertain: nil)
        }
        let due = touches.due(for: plan)
        do throws(PersistenceError) {
            try BatchCommitter.write(plan, due, on: connection)
        } catch {
            let error = BatchCommitter.rollBack(connection, after: error)
            throw CommitFailure(error: error, uncertain: error.isConnectionLost ? plan : nil)
        }
        touches.wrote(due)
        return plan
    }

    /// Whether the commit of a plan went through on a connection that is gone. A backend that is still at it is waited
    /// for, through the lock of the log's head.
    static func isCommitted(_ plan: BatchPlan, on connection: PQConnection) throws(PersistenceError) -> Bool {
        let events = plan.fresh.map(\.event)
        let snapshot = try snapshot(for: events[...], on: connection)
        _ = try connection.query(WriterStatements.rollback)
        return plan.isContained(in: snapshot.known)
    }

    /// Begins the transaction and takes the lock.
    private static func snapshot(
        for events: ArraySlice<MonitorEvent>,
        on connection: PQConnection
    ) throws(PersistenceError) -> LogSnapshot {
        var ids = Parameters(reserving: events.count * 20 + 32)
        ids.add(array: Set(events.lazy.map(\.id)))
        var sessions = Parameters()
        sessions.add(array: Set(events.lazy.compactMap(\.sessionID)))
        let results = try connection.pipeline([
            (WriterStatements.begin, Parameters()), (WriterStatements.lockHead, Parameters()),
            (WriterStatements.knownIDs, ids), (WriterStatements.folds, sessions),
        ])
        guard results.count == 4, let head = results[1].firstRow else {
            throw PersistenceError(.malformedReply, "log_head has no row")
        }
        var snapshot = LogSnapshot(epoch: try head.text(0), lastSeq: try head.int64(1))
        for row in results[2].rows { snapshot.known[try row.eventID(0)] = try row.int64(1) }
        for row in results[3].rows { snapshot.folds[try row.text(0)] = try row.bytes(1) }
        return snapshot
    }

    private static func write(
        _ plan: BatchPlan,
        _ due: TouchBook.Due,
        on connection: PQConnection
    ) throws(PersistenceError) {
        var calls = [
            (WriterStatements.insertIDs, BatchParameters.ids(plan.fresh)),
            (WriterStatements.insertEvents, BatchParameters.events(plan.fresh)),
        ]
        let sessions = plan.folds.compactMap { SessionRow($0) }
        if !sessions.isEmpty { calls.append((WriterStatements.upsertSessions, BatchParameters.sessions(sessions))) }
        if !due.workspaces.isEmpty {
            calls.append((WriterStatements.upsertWorkspaces, BatchParameters.workspaces(due.workspaces)))
        }
        if !due.machines.isEmpty {
            calls.append((WriterStatements.touchMachines, BatchParameters.machines(due.machines)))
        }
        var head = Parameters()
        head.add(plan.lastSeq)
        calls.append((WriterStatements.moveHead, head))
        calls.append((WriterStatements.commit, Parameters()))
        let results = try connection.pipeline(calls)
        // A COMMIT in a failed transaction succeeds, as a ROLLBACK.
        guard results.last?.commandTag == "COMMIT" else {
            throw PersistenceError(.malformedReply, "the transaction was rolled back by the server")
        }
    }

    /// The error to go on with: the one given, or that the connection broke over the roll-back.
    private static func rollBack(_ connection: PQConnection, after error: PersistenceError) -> PersistenceError {
        guard !error.isConnectionLost else { return error }
        do throws(PersistenceError) {
            _ = try connection.query(WriterStatements.rollback)
            return error
        } catch {
            return error.isConnectionLost ? error : PersistenceError(.connectionLost, error.detail)
        }
    }
}
