import EventModel
import Sessions

/// The folds that the writer remembers, so that it neither reads nor writes a session's row with each event. It holds
/// true as long as the log's head is where this writer left it.
///
/// What is not written yet is in the log: whoever finds `folded_seq` behind `last_seq` folds the events between anew.
struct SessionMemory {
    struct Entry {
        var fold: SessionState
        var workspace: BatchPlan.Folded.Workspace?
        /// The machine in the session's row; `nil` while it has none.
        var storedMachine: MachineID?
        /// The first event that the row does not hold; `nil` while it holds all.
        var unwrittenFrom: Int64?
        fileprivate var lastUse: Int64
    }

    /// A session is also written when so many events have been committed since: what a successor after a crash has to
    /// fold anew.
    static let longestTail: Int64 = 20_000
    /// At most so many rows go with one batch because of their age.
    static let rowsPerBatch = 500
    /// Beyond so many sessions those without news are forgotten, the longest unused first.
    static let capacity = 8192

    /// A session is written when its row lacks events of so many seconds ago.
    private let writeAfterSeconds: Double
    private var entries: [String: Entry] = [:]
    /// Sessions in the order of `unwrittenFrom`. One that was written since stands here in vain.
    private var waiting: [(id: String, seq: Int64, since: Timestamp)] = []
    private var uses: Int64 = 0

    init(writeAfterSeconds: Double = 1) {
        self.writeAfterSeconds = writeAfterSeconds
    }

    subscript(id: String) -> Entry? { entries[id] }

    /// A session as it is remembered, to be folded on; one that nobody has begun is empty.
    func folded(_ id: String, from seq: Int64) -> BatchPlan.Folded {
        guard let index = entries.index(forKey: id) else {
            return BatchPlan.Folded(fold: SessionState(id: id), firstSeq: seq)
        }
        let entries = entries.values
        return BatchPlan.Folded(fold: entries[index].fold, firstSeq: seq, workspace: entries[index].workspace)
    }

    var count: Int { entries.count }
    var hasUnwritten: Bool { !waiting.isEmpty }

    /// Seconds until a row is due; 0 where one is, `nil` where none waits. A clock that was set back makes it due.
    func secondsUntilDue(at now: Timestamp) -> Double? {
        guard let since = waiting.first?.since else { return nil }
        let age = now.seconds(since: since)
        return age < 0 ? 0 : max(0, writeAfterSeconds - age)
    }

    /// Whose a session is; `nil` where nobody has begun it, or it is not remembered.
    func owner(_ id: String) -> MachineID? {
        entries.index(forKey: id).flatMap { entries.values[$0].fold.machineID }
    }

    func unknown(_ ids: some Sequence<String>) -> Set<String> {
        var unknown: Set<String> = []
        for id in ids where entries.index(forKey: id) == nil { unknown.insert(id) }
        return unknown
    }

    /// What the database has for a session; `nil`: nothing.
    mutating func remember(_ id: String, stored fold: SessionState?) {
        entries[id] = Entry(
            fold: fold ?? SessionState(id: id),
            storedMachine: fold?.machineID,
            lastUse: uses
        )
    }

    /// Folds an event of the log that the session's row may lack.
    mutating func refold(_ event: CommittedEvent, at now: Timestamp) {
        guard let id = event.event.sessionID, let entry = entries[id], entry.fold.lastSeq < event.seq else { return }
        var folded = BatchPlan.Folded(fold: entry.fold, firstSeq: event.seq, workspace: entry.workspace)
        folded.fold.apply(event)
        if entries[id, default: entry].take(folded, uses) { waiting.append((id, event.seq, now)) }
    }

    mutating func forgetAll() {
        entries = [:]
        waiting = []
    }

    /// Gives up writing what is not written. Returns how many sessions that were.
    mutating func abandonUnwritten() -> Int {
        defer { waiting = [] }
        for news in waiting { entries[news.id] = nil }
        return waiting.count
    }

    /// The rows to be written with a plan: those that are due, those of the plan that have no row yet or name another
    /// machine, or all.
    func rows(with plan: BatchPlan, now: Timestamp, all: Bool) -> [SessionState] {
        var rows: [SessionState] = []
        var planned: [String: SessionState] = [:]
        let due = all ? waiting[...] : due(lastSeq: plan.lastSeq, now: now)
        for index in plan.folds.indices {
            let id = plan.folds[index].fold.id
            let stored = entries.index(forKey: id).flatMap { entries.values[$0].storedMachine }
            if all || stored == nil || stored != plan.folds[index].fold.machineID {
                rows.append(plan.folds[index].fold)
            } else if !due.isEmpty {
                planned[id] = plan.folds[index].fold
            }
        }
        guard !due.isEmpty else { return rows }
        var taken = Set(rows.lazy.map(\.id))
        for news in due where taken.insert(news.id).inserted {
            if let fold = planned[news.id] ?? entries[news.id]?.fold { rows.append(fold) }
        }
        return rows
    }

    /// All events up to here are in the rows once a plan and `rows` are committed.
    func foldedSeq(after plan: BatchPlan, head: LogHead, writing rows: [SessionState]) -> Int64 {
        let written = Set(rows.lazy.map(\.id))
        let old = waiting.first { !written.contains($0.id) && isCurrent($0) }?.seq
        var first = old ?? .max
        for index in plan.folds.indices where !written.contains(plan.folds[index].fold.id) {
            first = min(first, plan.folds[index].firstSeq)
        }
        return first == .max ? max(head.lastSeq, plan.lastSeq) : first - 1
    }

    /// To be called after the commit of a plan and of `rows`.
    mutating func committed(_ plan: BatchPlan, writing rows: [SessionState], now: Timestamp) {
        uses += 1
        for folded in plan.folds {
            if take(folded) { waiting.append((folded.fold.id, folded.firstSeq, now)) }
        }
        for row in rows {
            entries[row.id]?.unwrittenFrom = nil
            entries[row.id]?.storedMachine = row.machineID
        }
        if !rows.isEmpty { waiting = waiting.filter(isCurrent) }
        if entries.count > SessionMemory.capacity { forgetUnused() }
    }

    /// True: the row held all events until now. An entry that is there is changed where it lies.
    private mutating func take(_ folded: BatchPlan.Folded) -> Bool {
        if let index = entries.index(forKey: folded.fold.id) { return entries.values[index].take(folded, uses) }
        var entry = Entry(fold: folded.fold, lastUse: uses)
        defer { entries[folded.fold.id] = entry }
        return entry.take(folded, uses)
    }

    private func isCurrent(_ news: (id: String, seq: Int64, since: Timestamp)) -> Bool {
        entries.index(forKey: news.id).flatMap { entries.values[$0].unwrittenFrom } == news.seq
    }

    private func due(lastSeq: Int64, now: Timestamp) -> ArraySlice<(id: String, seq: Int64, since: Timestamp)> {
        let overdue = waiting.count - SessionMemory.capacity / 2
        let end = waiting.prefix(SessionMemory.rowsPerBatch).firstIndex { news in
            (0..<writeAfterSeconds).contains(now.seconds(since: news.since))
                && lastSeq - news.seq < SessionMemory.longestTail
        }
        return waiting.prefix(max(overdue, end ?? min(waiting.count, SessionMemory.rowsPerBatch)))
    }

    private mutating func forgetUnused() {
        let idle = entries.filter { $0.value.unwrittenFrom == nil }.sorted { $0.value.lastUse < $1.value.lastUse }
        for (id, _) in idle.prefix(SessionMemory.capacity / 4) { entries[id] = nil }
    }
}

extension SessionMemory.Entry {
    /// True: the row held all events until now.
    fileprivate mutating func take(_ folded: BatchPlan.Folded, _ use: Int64) -> Bool {
        fold = folded.fold
        workspace = folded.workspace
        lastUse = use
        guard unwrittenFrom == nil else { return false }
        unwrittenFrom = folded.firstSeq
        return true
    }
}
