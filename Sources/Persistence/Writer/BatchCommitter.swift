import EventModel
import Sessions

/// A batch that did not go through.
struct CommitFailure: Error {
    var error: PersistenceError
    /// Set where the connection was lost after the commit was sent: then only the database knows whether it happened.
    var uncertain: BatchPlan?
}

/// Runs the transaction of a batch.
///
/// As a rule in one round trip, on what it remembers: that the log's head is where it left it, whose the sessions are,
/// and that none of the ids is known. The transaction itself finds out where one of these does not hold; then the batch
/// is done again from what the database says. While another writer is at work on the log every batch takes two round
/// trips: one to read, one to write.
struct BatchCommitter {
    /// After another writer's commit, for how long batches read first.
    static let sharedSeconds = 10.0

    private let onSent: (CommittedBatch) -> Void
    private var touches = TouchBook()
    private var owners = SessionOwners()
    /// As this writer left it; `nil`: not known.
    private var head: LogHead?
    private var sharedUntil: Timestamp?

    /// - Parameter onSent: called when a batch is on its way to the database, before it is known to be committed.
    init(onSent: @escaping (CommittedBatch) -> Void = { _ in }) {
        self.onSent = onSent
    }

    /// To be called for each new connection: what was sent on the old one may or may not have been committed.
    mutating func forget() {
        head = nil
        owners.forgetAll()
    }

    /// After a failure the transaction is rolled back, or the connection is lost.
    mutating func commit(
        _ events: ArraySlice<MonitorEvent>,
        at now: Timestamp,
        on connection: PQConnection
    ) throws(CommitFailure) -> BatchPlan {
        if let head, !isShared(now), let plan = try commitRemembering(head, events, on: connection) { return plan }
        return try commitReading(events, at: now, on: connection)
    }

    /// Whether the commit of a plan went through on a connection that is gone. A backend that is still at it is waited
    /// for, through the lock of the log's head.
    static func isCommitted(_ plan: BatchPlan, on connection: PQConnection) throws(PersistenceError) -> Bool {
        let known = try begin(plan.fresh.map(\.event)[...], on: connection).known
        _ = try connection.query(WriterStatements.rollback)
        return plan.isContained(in: known)
    }

    private func isShared(_ now: Timestamp) -> Bool {
        guard let sharedUntil else { return false }
        // A clock that was set back does not lengthen it.
        return now < sharedUntil && sharedUntil.seconds(since: now) <= BatchCommitter.sharedSeconds
    }

    /// `nil`: something is not as remembered, and the transaction was rolled back.
    private mutating func commitRemembering(
        _ head: LogHead,
        _ sent: ArraySlice<MonitorEvent>,
        on connection: PQConnection
    ) throws(CommitFailure) -> BatchPlan? {
        let events: ArraySlice<MonitorEvent>
        do throws(PersistenceError) {
            // Not under the lock, but nobody has changed them if the head can be claimed.
            try look(up: owners.unknown(sent.indices.lazy.compactMap { sent[$0].sessionID }), on: connection)
            events = try separate(sent, on: connection)
        } catch {
            throw CommitFailure(error: error, uncertain: nil)
        }
        let snapshot = LogSnapshot(epoch: head.epoch, lastSeq: head.lastSeq)
        let work = BatchWork(BatchPlan(events: events, snapshot: snapshot, owners: owners), from: head, touches)
        do throws(PersistenceError) {
            try work.commitClaiming(on: connection, onSent: onSent)
        } catch {
            let failure = BatchCommitter.rollBack(connection, after: error)
            if !failure.isConnectionLost, let state = failure.sqlState, BatchCommitter.isSurprise(state) { return nil }
            throw CommitFailure(error: failure, uncertain: failure.isConnectionLost ? work.plan : nil)
        }
        done(work)
        return work.plan
    }

    /// The head has moved, or an id is known.
    private static func isSurprise(_ state: SQLState) -> Bool {
        state == .notNullViolation || state == .uniqueViolation
    }

    /// One round trip to learn what there is, one to write and commit.
    private mutating func commitReading(
        _ events: ArraySlice<MonitorEvent>,
        at now: Timestamp,
        on connection: PQConnection
    ) throws(CommitFailure) -> BatchPlan {
        let work: BatchWork
        do throws(PersistenceError) {
            let found = try BatchCommitter.begin(events, on: connection)
            if head != found.head {
                if head != nil { sharedUntil = now.adding(seconds: BatchCommitter.sharedSeconds) }
                owners.forgetAll()
            }
            for (id, owner) in found.owners { owners.remember(id, owner) }
            head = found.head
            let snapshot = LogSnapshot(epoch: found.head.epoch, lastSeq: found.head.lastSeq, known: found.known)
            let separated = try separate(events, on: connection)
            work = BatchWork(
                BatchPlan(events: separated, snapshot: snapshot, owners: owners),
                from: found.head,
                touches
            )
            if work.isEmpty {
                _ = try connection.query(WriterStatements.rollback)
                return work.plan
            }
        } catch {
            throw CommitFailure(error: BatchCommitter.rollBack(connection, after: error), uncertain: nil)
        }
        do throws(PersistenceError) {
            try work.commitUnderLock(on: connection, onSent: onSent)
        } catch {
            let error = BatchCommitter.rollBack(connection, after: error)
            throw CommitFailure(error: error, uncertain: error.isConnectionLost ? work.plan : nil)
        }
        done(work)
        return work.plan
    }

    private mutating func done(_ work: BatchWork) {
        touches.wrote(work.due)
        owners.committed(work.plan)
        head = work.next
    }

    /// What a batch is planned on, as the database has it under the lock of the head.
    private struct Found {
        var head: LogHead
        var known: [EventID: Int64] = [:]
        /// One entry for each session of the batch; `nil`: nobody has begun it.
        var owners: [(String, SessionOwner?)]
    }

    /// Begins the transaction and takes the lock.
    private static func begin(
        _ events: ArraySlice<MonitorEvent>,
        on connection: PQConnection
    ) throws(PersistenceError) -> Found {
        var ids = Parameters(reserving: events.count * 20 + 32)
        ids.add(array: Set(events.lazy.map(\.id)))
        let sessions = Set(events.lazy.compactMap(\.sessionID))
        let results = try connection.pipeline([
            (WriterStatements.begin, Parameters()), (WriterStatements.lockHead, Parameters()),
            (WriterStatements.knownIDs, ids), (WriterStatements.owners, BatchParameters.names(sessions)),
        ])
        guard results.count == 4 else { throw PersistenceError(.malformedReply, "an answer is missing") }
        var found = Found(head: try LogHead(results[1].firstRow), owners: try owners(of: sessions, results[3]))
        for row in results[2].rows { found.known[try row.eventID(0)] = try row.int64(1) }
        return found
    }

    /// Gives the events of another machine's session their own; the sessions of all events must be remembered. Ends
    /// because each round makes ids longer, and nobody has sent ids without bound.
    private mutating func separate(
        _ events: ArraySlice<MonitorEvent>,
        on connection: PQConnection
    ) throws(PersistenceError) -> ArraySlice<MonitorEvent> {
        var events = events
        while let separated = SessionOwnership.separate(events, owner: { owners[$0]?.machine }) {
            events = separated.events
            try look(up: owners.unknown(separated.given), on: connection)
        }
        return events
    }

    private mutating func look(up sessions: Set<String>, on connection: PQConnection) throws(PersistenceError) {
        guard !sessions.isEmpty else { return }
        let stored = try connection.query(WriterStatements.owners, BatchParameters.names(sessions))
        for (id, owner) in try BatchCommitter.owners(of: sessions, stored) { owners.remember(id, owner) }
    }

    private static func owners(
        of sessions: Set<String>,
        _ result: PQResult
    ) throws(PersistenceError) -> [(String, SessionOwner?)] {
        var found: [String: SessionOwner] = [:]
        for row in result.rows { found[try row.text(0)] = try SessionOwner(row) }
        return sessions.map { ($0, found[$0]) }
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

extension SessionOwner {
    /// A row of `WriterStatements.owners`.
    fileprivate init(_ row: PQRow) throws(PersistenceError) {
        var path: Path?
        if let text = row.optionalText(2), let at = try row.optionalTimestamp(3), row.optionalBytes(4) != nil {
            path = Path(text: text, order: EventOrder(time: at, id: try row.eventID(4)))
        }
        self.init(machine: MachineID(rawValue: try row.int64(1)), path: path)
    }
}
