import EventModel
import Logging
import Sessions

/// `sessions`: each session's events folded together.
///
/// It remembers the folds it has used last, so that it neither reads nor writes a row with each event.
final class SessionProjection: FoldingProjection {
    static let name = "sessions"
    static let version: Int64 = 1
    /// Beyond so many sessions those without changes are forgotten, the longest unused first.
    static let capacity = 8192

    private struct Entry {
        var fold: SessionState
        /// The session was removed on request: its events up to there count for nothing.
        var removedThrough: Int64
        var isChanged = false
        var lastUse: Int64 = 0
    }

    let name: String = SessionProjection.name
    let version: Int64 = SessionProjection.version
    let pacing: ProjectionPacing = .prompt
    let tables: [String] = ["sessions"]

    private let logger: Logger
    private var entries: [String: Entry] = [:]
    private var changed: Set<String> = []
    private var uses: Int64 = 0

    init(logger: Logger) {
        self.logger = logger
    }

    var changedRows: Int { changed.count }
    var count: Int { entries.count }

    func fold(_ events: [CommittedEvent], on connection: PQConnection) throws(PersistenceError) {
        uses += 1
        try look(up: events, on: connection)
        for event in events {
            guard let id = event.event.sessionID, let index = entries.index(forKey: id) else { continue }
            entries.values[index].lastUse = uses
            // A row may hold events beyond the cursor: one that was kept in a rebuild, or whose cursor was not written.
            guard event.seq > max(entries.values[index].fold.lastSeq, entries.values[index].removedThrough) else {
                continue
            }
            entries.values[index].fold.apply(event)
            if !entries.values[index].isChanged {
                entries.values[index].isChanged = true
                changed.insert(id)
            }
        }
        // What a fold has to say beyond the session's row belongs to the same transaction: `statements`.
        if entries.count > SessionProjection.capacity { forgetUnused() }
    }

    func statements() -> [(Statement, Parameters)] {
        let rows = changed.sorted().compactMap { id in entries[id].flatMap { SessionRow($0.fold) } }
        return rows.isEmpty ? [] : [(SessionStatements.upsert, SessionStatements.parameters(rows))]
    }

    func written() {
        for id in changed { entries[id]?.isChanged = false }
        changed = []
        if entries.count > SessionProjection.capacity { forgetUnused() }
    }

    func forget() {
        entries = [:]
        changed = []
    }

    func writeSingly(on connection: PQConnection) throws(PersistenceError) -> Int {
        var refused = 0
        for id in changed.sorted() {
            guard let row = entries[id].flatMap({ SessionRow($0.fold) }) else { continue }
            do throws(PersistenceError) {
                _ = try connection.query(SessionStatements.upsert, SessionStatements.parameters([row]))
            } catch {
                guard error.isDataError else { throw error }
                entries[id] = nil
                refused += 1
            }
        }
        written()
        if refused > 0 {
            logger.error(
                "the database refuses the state of sessions; it will lack events",
                metadata: ["sessions": "\(refused)"]
            )
        }
        return refused
    }

    func clear(through seq: Int64, on connection: PQConnection) throws(PersistenceError) {
        _ = try connection.query(SessionStatements.clear)
    }

    private func look(up events: [CommittedEvent], on connection: PQConnection) throws(PersistenceError) {
        var unknown: Set<String> = []
        for event in events {
            if let id = event.event.sessionID, entries.index(forKey: id) == nil { unknown.insert(id) }
        }
        guard !unknown.isEmpty else { return }
        var parameters = Parameters()
        parameters.add(array: unknown)
        for row in try connection.query(SessionStatements.folds, parameters).rows {
            let id = try row.text(0)
            // A fold that cannot be read begins anew: a session's state is worth less than the events to come.
            let fold = row.optionalBytes(1).flatMap { SessionState(id: id, stored: $0) } ?? SessionState(id: id)
            entries[id] = Entry(fold: fold, removedThrough: try row.int64(2))
        }
    }

    private func forgetUnused() {
        let idle = entries.filter { !$0.value.isChanged }.sorted { $0.value.lastUse < $1.value.lastUse }
        for (id, _) in idle.prefix(entries.count - SessionProjection.capacity * 3 / 4) { entries[id] = nil }
    }
}

/// A session as it is stored: columns to find it by, and the fold that the next event is applied to.
struct SessionRow {
    let session: Session
    let fold: [UInt8]

    init?(_ fold: SessionState) {
        guard let session = fold.session else { return nil }
        self.session = session
        self.fold = fold.stored()
    }
}
