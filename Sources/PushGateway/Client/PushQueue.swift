internal import DequeModule

/// The properties of a push that the queue uses.
protocol QueuedPush {
    /// Greater values go first.
    var priority: Int { get }
    /// The order of submission.
    var sequence: UInt64 { get }
    /// On the monotonic clock.
    var queuedAt: Double { get }
    /// On the monotonic clock.
    var deadline: Double { get }
}

/// Pushes that wait for a stream: higher priorities first, and in order of submission within a priority. A full queue
/// is handled earlier, by bytes (see `PushInbox`).
struct PushQueue<Job: QueuedPush> {
    /// The pushes of one priority, ordered by sequence.
    private struct Lane {
        let priority: Int
        var waiting: Deque<Job> = []
    }

    private var lanes: [Lane] = []
    /// A lower bound for the deadlines of all pushes.
    private var earliestDeadline = Double.infinity

    var count: Int { lanes.reduce(0) { $0 + $1.waiting.count } }
    var isEmpty: Bool { lanes.allSatisfy { $0.waiting.isEmpty } }
    /// `nil` if the queue is empty.
    var nextDeadline: Double? { isEmpty ? nil : earliestDeadline }
    var oldestQueuedAt: Double? { lanes.compactMap { $0.waiting.first?.queuedAt }.min() }

    /// Also accepts a push that was tried before. Such a push gets its old position.
    mutating func insert(_ job: Job) {
        earliestDeadline = min(earliestDeadline, job.deadline)
        let index = lanes.firstIndex { $0.priority <= job.priority } ?? lanes.endIndex
        if index == lanes.endIndex || lanes[index].priority != job.priority {
            lanes.insert(Lane(priority: job.priority), at: index)
        }
        if let last = lanes[index].waiting.last, last.sequence > job.sequence {
            let place = lanes[index].waiting.firstIndex { $0.sequence > job.sequence } ?? lanes[index].waiting.endIndex
            lanes[index].waiting.insert(job, at: place)
        } else {
            lanes[index].waiting.append(job)
        }
    }

    mutating func next() -> Job? {
        guard let index = lanes.firstIndex(where: { !$0.waiting.isEmpty }) else { return nil }
        return lanes[index].waiting.popFirst()
    }

    /// Removes and returns the pushes that have reached their deadline.
    mutating func expire(now: Double) -> [Job] {
        guard earliestDeadline <= now else { return [] }
        return removeAll { $0.deadline <= now }
    }

    mutating func removeAll(where isOver: (Job) -> Bool = { _ in true }) -> [Job] {
        var removed: [Job] = []
        earliestDeadline = .infinity
        for index in lanes.indices {
            removed += lanes[index].waiting.filter(isOver)
            lanes[index].waiting.removeAll(where: isOver)
            earliestDeadline = lanes[index].waiting.reduce(earliestDeadline) { min($0, $1.deadline) }
        }
        return removed
    }
}
