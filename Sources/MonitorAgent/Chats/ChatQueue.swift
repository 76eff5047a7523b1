/// The chats that wait until the machine has room. Callers take turns, so that nobody waits for all chats of another.
/// Pure.
struct ChatQueue {
    /// The number of chats that wait at a time.
    static let most = 64
    /// Seconds for which a chat waits at most.
    static let seconds = 60.0

    private struct Entry {
        var id: String
        var deadline: Double
    }

    /// The chats of each caller in their order. The next turn is that of the first caller.
    private var lines: [(caller: String, entries: [Entry])] = []

    var count: Int { lines.reduce(0) { $0 + $1.entries.count } }
    var isEmpty: Bool { lines.isEmpty }
    var deadline: Double? { lines.compactMap { $0.entries.first?.deadline }.min() }

    func contains(_ id: String) -> Bool {
        lines.contains { line in line.entries.contains { $0.id == id } }
    }

    /// Returns false if too many wait already.
    mutating func add(_ id: String, of caller: String, now: Double) -> Bool {
        guard count < ChatQueue.most else { return false }
        let entry = Entry(id: id, deadline: now + ChatQueue.seconds)
        if let place = lines.firstIndex(where: { $0.caller == caller }) {
            lines[place].entries.append(entry)
        } else {
            lines.append((caller, [entry]))
        }
        return true
    }

    /// Takes the chat whose turn it is. Its caller is the last one then.
    mutating func next() -> String? {
        guard var line = lines.first else { return nil }
        lines.removeFirst()
        let entry = line.entries.removeFirst()
        if !line.entries.isEmpty { lines.append(line) }
        return entry.id
    }

    /// Returns false if the chat does not wait.
    mutating func remove(_ id: String) -> Bool { !take { $0.id == id }.isEmpty }

    /// Takes those whose time is over.
    mutating func due(now: Double) -> [String] { take { $0.deadline <= now } }

    mutating func removeAll() -> [String] { take { _ in true } }

    private mutating func take(_ isMeant: (Entry) -> Bool) -> [String] {
        var taken: [String] = []
        for place in lines.indices {
            taken += lines[place].entries.filter(isMeant).map(\.id)
            lines[place].entries.removeAll(where: isMeant)
        }
        lines.removeAll { $0.entries.isEmpty }
        return taken
    }
}
