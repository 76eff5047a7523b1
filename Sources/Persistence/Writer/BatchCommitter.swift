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
/// As a rule in one round trip, on what it remembers: that the log's head is where it left it, the folds of the
/// sessions, and that none of the ids is known. The transaction itself finds out where one of these does not hold; then
/// the batch is done again from what the database says. While another writer is at work on the log nothing is
/// remembered, and every batch writes its sessions.
struct BatchCommitter {
    /// After another writer's commit, how long nothing is remembered.
    static let sharedSeconds = 10.0

    private let onSent: (CommittedBatch) -> Void
    private var touches = TouchBook()
    private var memory: SessionMemory
    /// As this writer left it; `nil`: not known.
    private var head: LogHead?
    /// Sessions whose rows the database refused: they lack events.
    private(set) var abandoned = 0
    private var sharedUntil: Timestamp?

    /// Whether events are committed that the rows of their sessions lack.
    var hasUnwritten: Bool { memory.hasUnwritten }
    /// Whether the rows hold all events, as far as this writer knows.
    var isSettled: Bool { head != nil && !memory.hasUnwritten }

    /// - Parameter onSent: called when a batch is on its way to the database, before it is known to be committed.
    init(sessionWriteSeconds: Double, onSent: @escaping (CommittedBatch) -> Void = { _ in }) {
        self.onSent = onSent
        memory = SessionMemory(writeAfterSeconds: sessionWriteSeconds)
    }

    /// As `SessionMemory.secondsUntilDue`.
    func secondsUntilDue(at now: Timestamp) -> Double? { memory.secondsUntilDue(at: now) }

    /// To be called for each new connection: what was sent on the old one may or may not have been committed.
    mutating func forget() {
        head = nil
        memory.forgetAll()
    }

    /// After a failure the transaction is rolled back, or the connection is lost.
    ///
    /// - Parameter settling: the rows of all sessions are to hold all events when this returns.
    mutating func commit(
        _ events: ArraySlice<MonitorEvent>,
        settling: Bool = false,
        at now: Timestamp,
        on connection: PQConnection
    ) throws(CommitFailure) -> BatchPlan {
        if let head, !isShared(now) {
            if let plan = try commitRemembering(head, events, settling: settling, at: now, on: connection) {
                return plan
            }
        }
        do throws(CommitFailure) {
            return try commitReading(events, at: now, on: connection)
        } catch {
            guard error.error.isDataError, memory.hasUnwritten, !events.isEmpty else { throw error }
        }
        // Whether it is these events that are refused shows when what came before is out of the way.
        try settle(at: now, on: connection)
        return try commitReading(events, at: now, on: connection)
    }

    /// The rows of all sessions hold all events of the log when this returns, whoever wrote them.
    mutating func settle(at now: Timestamp, on connection: PQConnection) throws(CommitFailure) {
        do throws(CommitFailure) {
            _ = try commitReading([], at: now, on: connection)
        } catch {
            guard error.error.isDataError else { throw error }
            // A session's state is worth less than the events to come.
            abandoned += memory.abandonUnwritten()
            _ = try commitReading([], at: now, on: connection)
        }
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
        settling: Bool,
        at now: Timestamp,
        on connection: PQConnection
    ) throws(CommitFailure) -> BatchPlan? {
        let events: ArraySlice<MonitorEvent>
        do throws(PersistenceError) {
            // Not under the lock, but nobody has changed them if the head can be claimed.
            try look(up: memory.unknown(sent.indices.lazy.compactMap { sent[$0].sessionID }), on: connection)
            events = try separate(sent, on: connection)
        } catch {
            throw CommitFailure(error: error, uncertain: nil)
        }
        let snapshot = LogSnapshot(epoch: head.epoch, lastSeq: head.lastSeq)
        let work = BatchWork(
            BatchPlan(events: events, snapshot: snapshot, sessions: memory),
            from: head,
            memory,
            touches,
            settling: settling,
            now: now
        )
        do throws(PersistenceError) {
            try work.commitClaiming(on: connection, onSent: onSent)
        } catch {
            let failure = BatchCommitter.rollBack(connection, after: error)
            if !failure.isConnectionLost, let state = failure.sqlState, BatchCommitter.isSurprise(state) { return nil }
            throw CommitFailure(error: failure, uncertain: failure.isConnectionLost ? work.plan : nil)
        }
        done(work, now)
        return work.plan
    }

    /// The head has moved, or an id is known.
    private static func isSurprise(_ state: SQLState) -> Bool {
        state == .notNullViolation || state == .uniqueViolation
    }

    /// One round trip to learn what there is, one to write and commit; one more where rows lack events.
    private mutating func commitReading(
        _ events: ArraySlice<MonitorEvent>,
        at now: Timestamp,
        on connection: PQConnection
    ) throws(CommitFailure) -> BatchPlan {
        let work: BatchWork
        do throws(PersistenceError) {
            let found = try BatchCommitter.begin(events, on: connection)
            try catchUp(to: found.head, for: events, at: now, on: connection)
            head = found.head
            let snapshot = LogSnapshot(epoch: found.head.epoch, lastSeq: found.head.lastSeq, known: found.known)
            let plan = BatchPlan(events: try separate(events, on: connection), snapshot: snapshot, sessions: memory)
            work = BatchWork(plan, from: found.head, memory, touches, settling: true, now: now)
            if work.isEmpty {
                _ = try connection.query(WriterStatements.rollback)
                return plan
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
        done(work, now)
        return work.plan
    }

    private mutating func done(_ work: BatchWork, _ now: Timestamp) {
        touches.wrote(work.due)
        memory.committed(work.plan, writing: work.sessions, now: now)
        head = work.next
    }

    /// Begins the transaction and takes the lock.
    private static func begin(
        _ events: ArraySlice<MonitorEvent>,
        on connection: PQConnection
    ) throws(PersistenceError) -> (head: LogHead, known: [EventID: Int64]) {
        var ids = Parameters(reserving: events.count * 20 + 32)
        ids.add(array: Set(events.lazy.map(\.id)))
        let results = try connection.pipeline([
            (WriterStatements.begin, Parameters()), (WriterStatements.lockHead, Parameters()),
            (WriterStatements.knownIDs, ids),
        ])
        guard results.count == 3 else { throw PersistenceError(.malformedReply, "an answer is missing") }
        var known: [EventID: Int64] = [:]
        for row in results[2].rows { known[try row.eventID(0)] = try row.int64(1) }
        return (try LogHead(results[1].firstRow), known)
    }

    /// Makes the memory true for the batch's sessions, and for all that have events which their rows lack.
    private mutating func catchUp(
        to found: LogHead,
        for events: ArraySlice<MonitorEvent>,
        at now: Timestamp,
        on connection: PQConnection
    ) throws(PersistenceError) {
        var tail: [CommittedEvent] = []
        if head != found {
            if head != nil { sharedUntil = now.adding(seconds: BatchCommitter.sharedSeconds) }
            forget()
            if found.foldedSeq < found.lastSeq {
                var parameters = Parameters()
                parameters.add(found.foldedSeq)
                tail = try connection.query(WriterStatements.tail, parameters).map(EventSelection.event)
            }
        }
        var unknown = memory.unknown(events.lazy.compactMap(\.sessionID))
        unknown.formUnion(memory.unknown(tail.lazy.compactMap(\.event.sessionID)))
        try look(up: unknown, on: connection)
        for event in tail { memory.refold(event, at: now) }
    }

    /// Gives the events of another machine's session their own; the sessions of all events must be remembered. Ends
    /// because each round makes ids longer, and nobody has sent ids without bound.
    private mutating func separate(
        _ events: ArraySlice<MonitorEvent>,
        on connection: PQConnection
    ) throws(PersistenceError) -> ArraySlice<MonitorEvent> {
        var events = events
        while let separated = SessionOwnership.separate(events, owner: { memory.owner($0) }) {
            events = separated.events
            try look(up: memory.unknown(separated.given), on: connection)
        }
        return events
    }

    private mutating func look(up sessions: Set<String>, on connection: PQConnection) throws(PersistenceError) {
        guard !sessions.isEmpty else { return }
        let stored = try connection.query(WriterStatements.folds, BatchParameters.names(sessions))
        var folds: [String: SessionState] = [:]
        for row in stored.rows {
            let id = try row.text(0)
            // A fold that cannot be read begins anew: a session's state is worth less than its events.
            folds[id] = SessionState(id: id, stored: try row.bytes(1))
        }
        for id in sessions { memory.remember(id, stored: folds[id]) }
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
