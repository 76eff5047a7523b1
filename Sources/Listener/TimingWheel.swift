/// Determines which items are due in which second: a hashed timing wheel (Varghese and Lauck, "Hashed and Hierarchical
/// Timing Wheels", 1987, scheme 6) with slots of one second, so that the cost of a tick depends only on the due items.
/// Seconds come from any monotonic clock.
///
/// An item cannot be removed before its time. The caller decides whether it still counts.
struct TimingWheel<Item> {
    private struct Entry {
        let item: Item
        let second: Int
    }

    private var slots: [[Entry]]
    private var lastTick: Int

    /// - Parameter turn: seconds. Items further ahead are examined once in each turn.
    init(turn: Int, now: Int) {
        slots = Array(repeating: [], count: max(1, turn))
        lastTick = now
    }

    /// Returns the second in which the item will be due: the requested one, or the next if that has passed.
    mutating func add(_ item: Item, at second: Int) -> Int {
        let second = max(second, lastTick + 1)
        slots[second % slots.count].append(Entry(item: item, second: second))
        return second
    }

    /// Returns all items due at `now`, each with its second. A clock that has jumped ahead costs one turn.
    mutating func tick(now: Int) -> [(item: Item, second: Int)] {
        guard now > lastTick else { return [] }
        var due: [(item: Item, second: Int)] = []
        for second in max(lastTick + 1, now - slots.count + 1)...now {
            let slot = second % slots.count
            guard !slots[slot].isEmpty else { continue }
            let entries = slots[slot]
            slots[slot] = []
            for entry in entries {
                if entry.second <= now { due.append((entry.item, entry.second)) } else { slots[slot].append(entry) }
            }
        }
        lastTick = now
        return due
    }
}
