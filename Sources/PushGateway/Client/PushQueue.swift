internal import DequeModule

/// Pushes that wait for a stream: higher priorities first, first come first served within one. What a full queue does
/// is decided before, by bytes (see `PushInbox`).
struct PushQueue<Job> {
    struct Item {
        let job: Job
        /// Greater goes first.
        let priority: Int
        /// Order of submission.
        let sequence: UInt64
        /// On the monotonic clock.
        let queuedAt: Double
        let deadline: Double
    }

    /// Of one priority, by sequence.
    private struct Lane {
        let priority: Int
        var waiting: Deque<Item> = []
    }

    private var lanes: [Lane] = []
    /// No item's deadline is earlier; it may be that none is this early.
    private var earliestDeadline = Double.infinity

    var count: Int { lanes.reduce(0) { $0 + $1.waiting.count } }
    var isEmpty: Bool { lanes.allSatisfy { $0.waiting.isEmpty } }
    /// `nil` when nothing waits.
    var nextDeadline: Double? { isEmpty ? nil : earliestDeadline }
    var oldestQueuedAt: Double? { lanes.compactMap { $0.waiting.first?.queuedAt }.min() }

    /// Also takes back an item that was tried: it gets its old place.
    mutating func insert(_ item: Item) {
        earliestDeadline = min(earliestDeadline, item.deadline)
        let index = lanes.firstIndex { $0.priority <= item.priority } ?? lanes.endIndex
        if index == lanes.endIndex || lanes[index].priority != item.priority {
            lanes.insert(Lane(priority: item.priority), at: index)
        }
        if let last = lanes[index].waiting.last, last.sequence > item.sequence {
            let place = lanes[index].waiting.firstIndex { $0.sequence > item.sequence } ?? lanes[index].waiting.endIndex
            lanes[index].waiting.insert(item, at: place)
        } else {
            lanes[index].waiting.append(item)
        }
    }

    mutating func next() -> Item? {
        guard let index = lanes.firstIndex(where: { !$0.waiting.isEmpty }) else { return nil }
        return lanes[index].waiting.popFirst()
    }

    /// Takes out what has reached its deadline.
    mutating func expire(now: Double) -> [Item] {
        guard earliestDeadline <= now else { return [] }
        return removeAll { $0.deadline <= now }
    }

    mutating func removeAll(where isOver: (Item) -> Bool = { _ in true }) -> [Item] {
        var removed: [Item] = []
        earliestDeadline = .infinity
        for index in lanes.indices {
            removed += lanes[index].waiting.filter(isOver)
            lanes[index].waiting.removeAll(where: isOver)
            earliestDeadline = lanes[index].waiting.reduce(earliestDeadline) { min($0, $1.deadline) }
        }
        return removed
    }
}
