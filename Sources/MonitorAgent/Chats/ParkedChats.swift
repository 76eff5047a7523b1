internal import ClaudeRunner

/// The chats whose model waits for the results of its calls. Each keeps a process until its deadline.
struct ParkedChats {
    struct Entry {
        var process: ChatProcess
        var calls: Set<String>
        var deadline: Double
    }

    /// The number of chats that wait at a time. One more ends the oldest.
    static let most = 16
    /// Seconds for which results are waited for at most.
    static let mostSeconds: Int64 = 600

    private var entries: [(id: String, entry: Entry)] = []

    var count: Int { entries.count }
    var deadline: Double? { entries.map(\.entry.deadline).min() }

    subscript(id: String) -> Entry? { entries.first { $0.id == id }?.entry }

    /// Returns those that must end for it.
    mutating func add(_ id: String, _ entry: Entry) -> [ChatProcess] {
        entries.append((id, entry))
        let excess = entries.prefix(max(0, entries.count - ParkedChats.most)).map(\.entry.process)
        entries.removeFirst(excess.count)
        return excess
    }

    mutating func remove(_ id: String) -> Entry? {
        guard let place = entries.firstIndex(where: { $0.id == id }) else { return nil }
        return entries.remove(at: place).entry
    }

    /// Removes those whose time has come.
    mutating func due(now: Double) -> [ChatProcess] {
        let due = entries.filter { $0.entry.deadline <= now }.map(\.entry.process)
        entries.removeAll { $0.entry.deadline <= now }
        return due
    }

    mutating func removeAll() -> [ChatProcess] {
        defer { entries = [] }
        return entries.map(\.entry.process)
    }
}
