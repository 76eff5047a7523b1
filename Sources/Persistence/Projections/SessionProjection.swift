import EventModel
import Logging
import Sessions

/// `sessions` and `prompts`: the folded events of each session, and the prompts that wait for a person.
///
/// Caches the most recently used folds, so that most events need neither a read nor a write of a row.
final class SessionProjection: FoldingProjection {
    static let identity = ProjectionIdentity(name: "sessions", version: 5)
    static let name = identity.name
    static let version = identity.version
    /// Beyond this number of sessions, the least recently used ones without changes are evicted.
    static let capacity = 8192

    /// A class, so that the unused slots of the dictionary take a pointer each and not the size of a session.
    private final class Entry {
        var fold: SessionState
        /// The session was removed on request. Its events up to this position are ignored.
        var removedThrough: Int64
        var isChanged = false
        var lastUse: Int64 = 0
        /// The open prompts as stored in their rows.
        var writtenPrompts: [Prompt]
        /// Prompts that have been closed and have changed since the last write, in the order of the changes.
        var closedPrompts: [Prompt] = []

        init(_ fold: SessionState, removedThrough: Int64) {
            self.fold = fold
            self.removedThrough = removedThrough
            writtenPrompts = fold.prompts.open
        }

        /// Prompts that differ from their rows.
        var changedPrompts: [Prompt] {
            closedPrompts + fold.prompts.open.filter { !writtenPrompts.contains($0) }
        }

        /// Replaces an earlier state of the same prompt.
        func keep(closed prompt: Prompt) {
            closedPrompts.removeAll { $0.openedBy == prompt.openedBy }
            closedPrompts.append(prompt)
        }

        func written() {
            isChanged = false
            writtenPrompts = fold.prompts.open
            closedPrompts = []
        }
    }

    let name: String = SessionProjection.name
    let version: Int64 = SessionProjection.version
    let pacing: ProjectionPacing = .prompt
    let tables: [String] = ["prompts", "sessions"]

    private let logger: Logger
    private var entries: [String: Entry] = [:]
    private var changed: Set<String> = []
    private var uses: Int64 = 0
    /// Number of changes of closed prompts since the last write.
    private var closedPrompts = 0
    /// Prompts that no tracker follows any more, for updates in the page that is being folded.
    private var strays = StrayPrompts()
    private let observers: [any ProjectionObserver]

    init(logger: Logger, observers: [any ProjectionObserver] = []) {
        self.logger = logger
        self.observers = observers
    }

    var changedRows: Int { changed.count + closedPrompts }
    var count: Int { entries.count }

    func fold(_ events: [CommittedEvent], on connection: PQConnection) throws(PersistenceError) {
        uses += 1
        try look(up: events, on: connection)
        try strays.read(for: events, on: connection) { session, prompt in
            entries[session].map { $0.fold.prompts.follows(prompt) } ?? false
        }
        defer { strays.forget() }
        for event in events {
            guard let id = event.event.sessionID, let index = entries.index(forKey: id) else { continue }
            entries.values[index].lastUse = uses
            // A row may hold events after the cursor: a rebuild kept the row, or its cursor was not written.
            guard event.seq > max(entries.values[index].fold.lastSeq, entries.values[index].removedThrough) else {
                continue
            }
            let settled = apply(event, to: index)
            for prompt in settled { entries.values[index].keep(closed: prompt) }
            closedPrompts += settled.count
            if !entries.values[index].isChanged {
                entries.values[index].isChanged = true
                changed.insert(id)
            }
        }
        if entries.count > SessionProjection.capacity { forgetUnused() }
    }

    /// Returns the closed prompts that the event changed.
    private func apply(_ event: CommittedEvent, to index: Dictionary<String, Entry>.Index) -> [Prompt] {
        let changes = entries.values[index].fold.apply(event)
        guard changes.isEmpty, let update = PromptUpdate(event) else { return changes.settled }
        let unwritten = entries.values[index].closedPrompts.first { $0.id == update.promptID }
        guard let prompt = unwritten ?? strays[update.promptID],
            prompt.sessionID == event.event.sessionID, let updated = update.applied(to: prompt)
        else { return [] }
        return [updated]
    }

    func write(
        from cursor: ProjectionCursor,
        to seq: Int64,
        on connection: PQConnection
    ) throws(PersistenceError) -> ProjectionCursor? {
        let prompts = observers.isEmpty ? [] : changed.flatMap { entries[$0]?.changedPrompts ?? [] }
        let next = try writeFolded(from: cursor, to: seq, on: connection)
        if next != nil, !prompts.isEmpty { observers.forEach { $0.promptsChanged(prompts) } }
        return next
    }

    func statements() -> [(Statement, Parameters)] {
        statements(changed.sorted().compactMap { entries[$0] })
    }

    private func statements(_ entries: [Entry]) -> [(Statement, Parameters)] {
        let rows = entries.compactMap { SessionRow($0.fold) }
        let prompts = entries.flatMap(\.changedPrompts)
        return
            (rows.isEmpty ? [] : [(SessionStatements.upsert, Parameters(of: SessionStatements.columns.arrays(rows)))])
            + (prompts.isEmpty
                ? [] : [(PromptStatements.upsert, Parameters(of: PromptStatements.columns.arrays(prompts)))])
    }

    func written() {
        for id in changed { entries[id]?.written() }
        changed = []
        closedPrompts = 0
        if entries.count > SessionProjection.capacity { forgetUnused() }
    }

    func forget() {
        entries = [:]
        changed = []
        closedPrompts = 0
    }

    func writeSingly(on connection: PQConnection) throws(PersistenceError) -> Int {
        var refused = 0
        for id in changed.sorted() {
            guard let entry = entries[id] else { continue }
            do throws(PersistenceError) {
                for (statement, parameters) in statements([entry]) { _ = try connection.query(statement, parameters) }
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
        for row in try connection.query(SessionStatements.folds, Parameters(of: unknown)).rows {
            let (id, stored, removedThrough): (String, [UInt8]?, Int64) = try row.values()
            // A fold that cannot be decoded starts empty, because later events matter more than the old state.
            let fold = stored.flatMap { SessionState(id: id, stored: $0) } ?? SessionState(id: id)
            entries[id] = Entry(fold, removedThrough: removedThrough)
        }
    }

    private func forgetUnused() {
        let idle = entries.filter { !$0.value.isChanged }.sorted { $0.value.lastUse < $1.value.lastUse }
        for (id, _) in idle.prefix(entries.count - SessionProjection.capacity * 3 / 4) { entries[id] = nil }
    }
}

/// A stored session: columns for lookups, and the fold that the next event is applied to.
struct SessionRow {
    let session: Session
    let fold: [UInt8]

    init?(_ fold: SessionState) {
        guard let session = fold.session else { return nil }
        self.session = session
        self.fold = fold.stored()
    }
}
