package import EventModel

/// A consumer of the committed log. It derives rows from events and stores its position in `projections`. Belongs to
/// its projector's thread.
package protocol Projection: AnyObject {
    /// Key of its row in `projections` and of its lease.
    var name: String { get }
    /// Increase it when the same events produce different rows. The rows are then rebuilt.
    var version: Int64 { get }
    var pacing: ProjectionPacing { get }
    /// Whether the projector passes events to `fold`. Otherwise `write` reads the log itself.
    var foldsEvents: Bool { get }
    /// Whether the next write has more to write than the cursor.
    var hasChanges: Bool { get }

    /// Folds the events after those folded before. Reads state that is not in memory from its tables.
    func fold(_ events: [CommittedEvent], on connection: PQConnection) throws(PersistenceError)

    /// Writes the changes and moves the cursor, in one transaction.
    ///
    /// - Parameter seq: all events up to this position are folded.
    /// - Returns: the new cursor, or `nil` if another process moved the cursor or changed the tables; then nothing
    ///   was written.
    func write(
        from cursor: ProjectionCursor,
        to seq: Int64,
        on connection: PQConnection
    ) throws(PersistenceError) -> ProjectionCursor?

    /// Discards all state that is not written.
    func forget()
}

extension Projection {
    package var hasChanges: Bool { true }
}

/// When a projection writes.
package struct ProjectionPacing: Equatable, Sendable {
    /// Milliseconds from the first unwritten event to the write.
    var delayMilliseconds: Int64
    /// After a write, the projection pauses for this multiple of the write's duration.
    var restFactor: Int64

    package init(delayMilliseconds: Int64, restFactor: Int64) {
        self.delayMilliseconds = delayMilliseconds
        self.restFactor = restFactor
    }

    /// Spends at most 1/16 of the time writing.
    package static let prompt = ProjectionPacing(delayMilliseconds: 20, restFactor: 15)
    /// For projections that no read waits for.
    package static let relaxed = ProjectionPacing(delayMilliseconds: 1000, restFactor: 15)
}

/// A projection whose rows can be rebuilt from the log.
package protocol FoldingProjection: Projection {
    /// The tables that only this projection writes.
    var tables: [String] { get }
    /// Number of rows that the next write would write.
    var changedRows: Int { get }

    /// Statements that write the changed rows, in order.
    func statements() -> [(Statement, Parameters)]
    /// Called when the statements are committed, or are part of a transaction that continues.
    func written()
    /// Called when the database rejected a row and the transaction was rolled back. Writes the rows one by one,
    /// without moving the cursor, and discards rejected rows. Returns the number of rejected rows.
    func writeSingly(on connection: PQConnection) throws(PersistenceError) -> Int
    /// Deletes the rows that the retained log can rebuild. Rows whose events retention has dropped stay, including
    /// the part of them that comes from events up to `seq`.
    func clear(through seq: Int64, on connection: PQConnection) throws(PersistenceError)
}

extension FoldingProjection {
    package var foldsEvents: Bool { true }
    package var hasChanges: Bool { changedRows > 0 }

    package func write(
        from cursor: ProjectionCursor,
        to seq: Int64,
        on connection: PQConnection
    ) throws(PersistenceError) -> ProjectionCursor? {
        try writeFolded(from: cursor, to: seq, on: connection)
    }

    /// Writes the changed rows, without those that the database rejects.
    func writeFolded(
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

/// A projection's key and the version of its rules, for reads of its tables.
package struct ProjectionIdentity: Sendable, Equatable {
    package var name: String
    package var version: Int64

    package init(name: String, version: Int64) {
        self.name = name
        self.version = version
    }
}

/// A projection of another module.
package struct ProjectionSource: Sendable {
    package enum Making: Sendable {
        /// Folds events, and can be rebuilt from the log.
        case folding(@Sendable () -> any FoldingProjection)
        /// Reads the log itself.
        case reading(@Sendable () -> any Projection)
    }

    package var name: String
    package var making: Making

    /// The functions of `making` are called on the projector's thread.
    package init(_ name: String, _ making: Making) {
        self.name = name
        self.making = making
    }

    var foldsEvents: Bool {
        if case .folding = making { true } else { false }
    }

    func make() -> any Projection {
        switch making {
        case .folding(let make): make()
        case .reading(let make): make()
        }
    }
}
