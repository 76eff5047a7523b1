import EventModel

/// The session owners that the writer caches. They are valid while the log head is where this writer left it.
struct SessionOwners {
    private struct Entry {
        /// `nil` if no machine has begun the session.
        var owner: SessionOwner?
        var lastUse: Int64
    }

    /// Beyond this number of sessions, the least recently used ones are evicted.
    static let capacity = 16_384

    private var entries: [String: Entry] = [:]
    private var uses: Int64 = 0

    /// `nil` if no machine has begun the session, or if it is not cached.
    subscript(id: String) -> SessionOwner? { entries.index(forKey: id).flatMap { entries.values[$0].owner } }

    var count: Int { entries.count }

    func unknown(_ ids: some Sequence<String>) -> Set<String> {
        var unknown: Set<String> = []
        for id in ids where entries.index(forKey: id) == nil { unknown.insert(id) }
        return unknown
    }

    /// Caches the owner that the database has for a session, or `nil` if it has none.
    mutating func remember(_ id: String, _ owner: SessionOwner?) {
        entries[id] = Entry(owner: owner, lastUse: uses)
    }

    mutating func forgetAll() { entries = [:] }

    /// Another server may have begun sessions that had no owner.
    mutating func forgetUnowned() { entries = entries.filter { $0.value.owner != nil } }

    /// Call after the commit.
    mutating func committed(_ plan: BatchPlan) {
        uses += 1
        for session in plan.sessions { entries[session.id] = Entry(owner: session.owner, lastUse: uses) }
        guard entries.count > SessionOwners.capacity else { return }
        let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }
        for (id, _) in oldest.prefix(entries.count - SessionOwners.capacity * 3 / 4) { entries[id] = nil }
    }
}
