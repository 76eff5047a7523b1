/// The deliveries that this server has submitted and that are not settled in the database, and their outcomes.
package struct InFlight<Entry: Sendable, Outcome: Sendable>: Sendable {
    package let limit: Int
    package private(set) var entries: [Int64: Entry] = [:]
    /// Those that the database has counted as submitted.
    private var begun: Set<Int64> = []
    /// Outcomes to be written. Bounded by `limit`, because each was in progress before. They stay here until `written`
    /// confirms them.
    package private(set) var ended: [(id: Int64, outcome: Outcome)] = []

    package init(limit: Int) { self.limit = limit }

    package var room: Int { max(0, limit - entries.count) }

    package subscript(id: Int64) -> Entry? { entries[id] }

    package mutating func submit(_ entry: Entry, as id: Int64) { entries[id] = entry }

    package func hasBegun(_ id: Int64) -> Bool { begun.contains(id) }

    package mutating func begin(_ id: Int64) { begun.insert(id) }

    package mutating func end(_ id: Int64, _ outcome: Outcome) {
        begun.remove(id)
        ended.append((id, outcome))
    }

    /// The first outcomes of `ended` are in the database.
    package mutating func written(_ count: Int) {
        for (id, _) in ended.prefix(count) { entries[id] = nil }
        ended.removeFirst(count)
    }
}
