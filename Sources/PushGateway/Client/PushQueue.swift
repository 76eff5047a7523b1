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

    /// Of one priority, by sequence. The items before `head` are taken already.
    private struct Lane {
        let priority: Int
        var items: [Item] = []
        var head = 0

        var waiting: ArraySlice<Item> { items[head...] }

        mutating func takeFirst() -> Item {
            defer {
                head += 1
                if head > 64, head > items.count / 2 {
                    items.removeFirst(head)
                    head = 0
                }
            }
            return items[head]
        }
    }

    private var lanes: [Lane] = []
    /// No item's deadline is earlier; it may be that none is this early.
    private var earliestDeadline = Double.infinity

    var count: Int { lanes.reduce(0) { $0 + $1.waiting.count } }
    var isEmpty: Bool { lanes.allSatisfy(\.waiting.isEmpty) }
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
        let waiting = lanes[index].waiting
        if let last = waiting.last, last.sequence > item.sequence {
            let place = waiting.firstIndex { $0.sequence > item.sequence } ?? waiting.endIndex
            lanes[index].items.insert(item, at: place)
        } else {
            lanes[index].items.append(item)
        }
    }

    mutating func next() -> Item? {
        guard let index = lanes.firstIndex(where: { !$0.waiting.isEmpty }) else { return nil }
        return lanes[index].takeFirst()
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
            let waiting = Array(lanes[index].waiting)
            removed += waiting.filter(isOver)
            lanes[index].items = waiting.filter { !isOver($0) }
            lanes[index].head = 0
            earliestDeadline = lanes[index].items.reduce(earliestDeadline) { min($0, $1.deadline) }
        }
        return removed
    }
}
