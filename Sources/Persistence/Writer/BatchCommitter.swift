import EventModel
import Sessions

/// A batch that was not committed.
struct CommitFailure: Error {
    var error: PersistenceError
    /// Set if the connection was lost after the commit was sent. Only the database then knows whether it was
    /// committed.
    var uncertain: BatchPlan?
}

/// Runs the transaction of a batch.
///
/// Normally this takes one round trip, based on cached state: the epoch, the owners of the sessions, and that all ids
/// are new. The database gives the positions, so several servers can write to one log in this way. The transaction
/// itself detects stale state; the batch is then repeated from the state in the database, in two round trips.
struct BatchCommitter {
    private let onSent: (CommittedBatch) -> Void
    private var lastSeen = LastSeenTracker()
    private var owners = SessionOwners()
    /// The head after this writer's last commit; `nil` if unknown.
    private var head: LogHead?
    /// Whether the last batch got the positions that were expected, so that those of the next one can be too.
    private var isAlone = true

    /// - Parameter onSent: called when a batch has been sent to the database, before it is known to be committed, if
    ///   its positions are known.
    init(onSent: @escaping (CommittedBatch) -> Void = { _ in }) {
        self.onSent = onSent
    }

    /// Call for each new connection: the statements sent on the old one may or may not have been committed.
    mutating func forget() {
        head = nil
        owners.forgetAll()
    }

    /// After a failure the transaction is rolled back, or the connection is lost.
    mutating func commit(
        _ events: ArraySlice<MonitorEvent>,
        on connection: PQConnection
    ) throws(CommitFailure) -> BatchPlan {
        if let head, let plan = try commitRemembering(head, events, on: connection) { return plan }
        return try commitReading(events, on: connection)
    }

    /// The plan as it was committed on a lost connection, or `nil` if it was not. Waits for a backend that is still
    /// running it, through the lock of the log head.
    static func find(_ plan: BatchPlan, on connection: PQConnection) throws(PersistenceError) -> BatchPlan? {
        let events = plan.fresh
        var planned = Parameters()
        planned.add(count: events.count) { events[$0].event.id }
        planned.add(count: events.count) { events[$0].event.receivedAt }
        let results = try connection.pipeline([
            (WriterStatements.begin, Parameters()), (WriterStatements.lockHead, Parameters()),
            (WriterStatements.committed, planned), (WriterStatements.rollback, Parameters()),
        ])
        guard results.count == 4 else { throw PersistenceError(.malformedReply, "an answer is missing") }
        return plan.found(at: try results[2].map { row throws(PersistenceError) in try row.value() })
    }

    /// Returns `nil` if the cached state is stale; the transaction was then rolled back.
    private mutating func commitRemembering(
        _ head: LogHead,
        _ sent: ArraySlice<MonitorEvent>,
        on connection: PQConnection
    ) throws(CommitFailure) -> BatchPlan? {
        let events: ArraySlice<MonitorEvent>
        do throws(PersistenceError) {
            // Read without the lock. If the head can be claimed, no owner has changed since its last commit, and new
            // sessions are new.
            try look(up: owners.unknown(sent.indices.lazy.compactMap { sent[$0].sessionID }), on: connection)
            events = try separate(sent, on: connection)
        } catch {
            throw CommitFailure(error: error, uncertain: nil)
        }
        let snapshot = LogSnapshot(epoch: head.epoch, lastSeq: head.lastSeq)
        let work = BatchWork(BatchPlan(events: events, snapshot: snapshot, owners: owners), from: head, lastSeen)
        do throws(PersistenceError) {
            let (plan, next) = try work.commitClaiming(on: connection) { if isAlone { onSent($0) } }
            isAlone = plan.lastSeq == work.plan.lastSeq
            done(work, plan, next)
            return plan
        } catch {
            let failure = BatchCommitter.rollBack(connection, after: error)
            if !failure.isConnectionLost, let state = failure.sqlState, BatchCommitter.isSurprise(state) { return nil }
            throw CommitFailure(error: failure, uncertain: failure.isConnectionLost ? work.plan : nil)
        }
    }

    /// Owners have changed, or an id or a session already exists.
    private static func isSurprise(_ state: SQLState) -> Bool {
        state == .notNullViolation || state == .uniqueViolation
    }

    /// One round trip to read the current state, one to write and commit.
    private mutating func commitReading(
        _ events: ArraySlice<MonitorEvent>,
        on connection: PQConnection
    ) throws(CommitFailure) -> BatchPlan {
        let work: BatchWork
        do throws(PersistenceError) {
            let found = try BatchCommitter.begin(events, on: connection)
            if head?.hasSameOwners(as: found.head) == true { owners.forgetUnowned() } else { owners.forgetAll() }
            for (id, owner) in found.owners { owners.remember(id, owner) }
            head = found.head
            let snapshot = LogSnapshot(epoch: found.head.epoch, lastSeq: found.head.lastSeq, known: found.known)
            let separated = try separate(events, on: connection)
            work = BatchWork(
                BatchPlan(events: separated, snapshot: snapshot, owners: owners),
                from: found.head,
                lastSeen
            )
            if work.isEmpty {
                _ = try connection.query(WriterStatements.rollback)
                return work.plan
            }
        } catch {
            throw CommitFailure(error: BatchCommitter.rollBack(connection, after: error), uncertain: nil)
        }
        do throws(PersistenceError) {
            let (plan, next) = try work.commitUnderLock(on: connection, onSent: onSent)
            done(work, plan, next)
            return plan
        } catch {
            let error = BatchCommitter.rollBack(connection, after: error)
            throw CommitFailure(error: error, uncertain: error.isConnectionLost ? work.plan : nil)
        }
    }

    private mutating func done(_ work: BatchWork, _ plan: BatchPlan, _ next: LogHead) {
        lastSeen.wrote(work.due)
        owners.committed(plan)
        head = next
    }

    /// The state in the database under the lock of the head, from which a batch is planned.
    private struct Found {
        var head: LogHead
        var known: [EventID: Int64] = [:]
        /// One entry for each session of the batch. An entry is `nil` if no machine has begun the session.
        var owners: [(String, SessionOwner?)]
    }

    /// Begins the transaction and takes the lock.
    private static func begin(
        _ events: ArraySlice<MonitorEvent>,
        on connection: PQConnection
    ) throws(PersistenceError) -> Found {
        let ids = Parameters(of: Set(events.lazy.map(\.id)))
        let sessions = Set(events.lazy.compactMap(\.sessionID))
        let results = try connection.pipeline([
            (WriterStatements.begin, Parameters()), (WriterStatements.lockHead, Parameters()),
            (WriterStatements.knownIDs, ids), (WriterStatements.owners, Parameters(of: sessions)),
        ])
        guard results.count == 4 else { throw PersistenceError(.malformedReply, "an answer is missing") }
        var found = Found(head: try LogHead(results[1].firstRow), owners: try owners(of: sessions, results[3]))
        for row in results[2].rows {
            let (id, seq): (EventID, Int64) = try row.values()
            found.known[id] = seq
        }
        return found
    }

    /// Gives another machine's events in a session their own session. The sessions of all events must be cached.
    /// Terminates because each round makes ids longer, and no client sends ids of unbounded length.
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
        let stored = try connection.query(WriterStatements.owners, Parameters(of: sessions))
        for (id, owner) in try BatchCommitter.owners(of: sessions, stored) { owners.remember(id, owner) }
    }

    private static func owners(
        of sessions: Set<String>,
        _ result: PQResult
    ) throws(PersistenceError) -> [(String, SessionOwner?)] {
        var found: [String: SessionOwner] = [:]
        for row in result.rows {
            let (id, owner): (String, SessionOwner) = try row.values()
            found[id] = owner
        }
        return sessions.map { ($0, found[$0]) }
    }

    /// Returns the given error, or `connectionLost` if the connection broke during the rollback.
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

/// The columns of `WriterStatements.owners` after the session.
extension SessionOwner: PGColumn {
    package init(from row: PQRow, _ column: Int) throws(PersistenceError) {
        let (machine, text, at, event): (MachineID, String?, Timestamp?, EventID?) = try row.values(from: column)
        var path: Path?
        if let text, let at, let event { path = Path(text: text, order: EventOrder(time: at, id: event)) }
        self.init(machine: machine, path: path)
    }
}
