package import EventModel

/// A consumer of the committed log: it derives rows from events, and keeps its place in `projections`. Belongs to the
/// thread of its projector.
package protocol Projection: AnyObject {
    /// Key of its row in `projections`, and of its lease.
    var name: String { get }
    /// To be raised when the same events are to give other rows: these are then made anew.
    var version: Int64 { get }
    var pacing: ProjectionPacing { get }
    /// Whether it is given events to fold. Otherwise `write` reads the log itself.
    var foldsEvents: Bool { get }

    /// Folds events that follow those folded before. What is not remembered is read from its tables.
    func fold(_ events: [CommittedEvent], on connection: PQConnection) throws(PersistenceError)

    /// In one transaction writes what has changed and moves the cursor.
    ///
    /// - Parameter seq: all events up to there are folded.
    /// - Returns: where the cursor is now; `nil`: somebody else has moved it or changed the tables, and nothing was
    ///   written.
    func write(
        from cursor: ProjectionCursor,
        to seq: Int64,
        on connection: PQConnection
    ) throws(PersistenceError) -> ProjectionCursor?

    /// Forgets all that is not written.
    func forget()
}

/// When a projection writes.
package struct ProjectionPacing: Equatable, Sendable {
    /// Milliseconds from the first event that is not written until the write.
    var delayMilliseconds: Int64
    /// After a write it rests for so many times as long as the write took.
    var restFactor: Int64

    package init(delayMilliseconds: Int64, restFactor: Int64) {
        self.delayMilliseconds = delayMilliseconds
        self.restFactor = restFactor
    }

    /// At most 1/16 of the time is spent writing.
    static let prompt = ProjectionPacing(delayMilliseconds: 20, restFactor: 15)
    /// For what nobody waits for.
    static let relaxed = ProjectionPacing(delayMilliseconds: 1000, restFactor: 15)
}

/// A projection whose rows can be made anew from the log.
protocol FoldingProjection: Projection {
    /// The tables that it alone writes.
    var tables: [String] { get }
    /// Rows that a write would write now.
    var changedRows: Int { get }

    /// What writes the changed rows, in order.
    func statements() -> [(Statement, Parameters)]
    /// The statements are committed, or are part of a transaction that goes on.
    func written()
    /// The database refuses some row, and the transaction was rolled back: writes the rows one by one, without moving
    /// the cursor, and forgets those that are refused. Returns how many those are.
    func writeSingly(on connection: PQConnection) throws(PersistenceError) -> Int
    /// Deletes the rows that the retained log makes anew. Rows whose events were dropped by retention stay, and with
    /// them what they hold of the events up to `seq`.
    func clear(through seq: Int64, on connection: PQConnection) throws(PersistenceError)
}

extension FoldingProjection {
    var foldsEvents: Bool { true }

    func write(
        from cursor: ProjectionCursor,
        to seq: Int64,
        on connection: PQConnection
    ) throws(PersistenceError) -> ProjectionCursor? {
        do throws(PersistenceError) {
            let next = try ProjectionTransaction.commit(statements(), from: cursor, to: seq, name, on: connection)
            if next != nil { written() }
            return next
        } catch {
            guard error.isDataError else { throw error }
        }
        _ = try writeSingly(on: connection)
        return try ProjectionTransaction.commit([], from: cursor, to: seq, name, on: connection)
    }
}
