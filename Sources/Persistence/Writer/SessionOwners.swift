import EventModel

/// The owners of sessions that the writer remembers. They hold true as long as the log's head is where this writer left
/// it.
struct SessionOwners {
    private struct Entry {
        /// `nil`: nobody has begun the session.
        var owner: SessionOwner?
        var lastUse: Int64
    }

    /// Beyond so many sessions those not used for longest are forgotten.
    static let capacity = 16_384

    private var entries: [String: Entry] = [:]
    private var uses: Int64 = 0

    /// `nil`: nobody has begun the session, or it is not remembered.
    subscript(id: String) -> SessionOwner? { entries.index(forKey: id).flatMap { entries.values[$0].owner } }

    var count: Int { entries.count }

    func unknown(_ ids: some Sequence<String>) -> Set<String> {
        var unknown: Set<String> = []
        for id in ids where entries.index(forKey: id) == nil { unknown.insert(id) }
        return unknown
    }

    /// What the database has for a session; `nil`: nothing.
    mutating func remember(_ id: String, _ owner: SessionOwner?) {
        entries[id] = Entry(owner: owner, lastUse: uses)
    }

    mutating func forgetAll() { entries = [:] }

    /// To be called after the commit.
    mutating func committed(_ plan: BatchPlan) {
        uses += 1
        for session in plan.sessions { entries[session.id] = Entry(owner: session.owner, lastUse: uses) }
        guard entries.count > SessionOwners.capacity else { return }
        let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }
        for (id, _) in oldest.prefix(entries.count - SessionOwners.capacity * 3 / 4) { entries[id] = nil }
    }
}
