internal import EventModel
internal import WSFanout

/// Decides when committed events are sent to the subscribers.
///
/// With many subscribers one commit keeps the loop busy for longer than the writer needs for it. While posts are being
/// committed, the events of a first commit therefore wait for those of a second: the answers and the next posts come
/// first, and each socket gets both commits with one write.
struct PublicationQueue {
    /// The events that are sent together.
    struct Publication {
        /// In the order of the log. A batch has no gap. What lies between two batches was skipped or deleted.
        var batches: [[EncodedEvent]] = []
        var opened: [(event: EncodedEvent, promptID: String)] = []
        var commits = 0
        /// The time at which the first of the commits returned, on the steady clock.
        var committedAt: Timestamp
    }

    enum Action {
        case nothing
        case publish(Publication)
        /// Call again within this number of seconds.
        case wait(seconds: Double)
    }

    /// Events wait only if there are at least this many subscribers.
    static let manySubscribers = 256
    static let maximumCommits = 2
    static let maximumSeconds = 0.02

    /// Number of posts whose answers have not been sent. Their commits are still to come.
    private var posts = 0
    private var waiting: Publication?

    mutating func submitted(posts count: Int) { posts += count }

    mutating func answered(posts count: Int) { posts -= count }

    mutating func committed(
        _ events: [EncodedEvent],
        opened: [(event: EncodedEvent, promptID: String)],
        at time: Timestamp
    ) {
        var publication = waiting ?? Publication(committedAt: time)
        publication.append(events)
        publication.opened += opened
        publication.commits += 1
        waiting = publication
    }

    /// Call at the end of each turn of the loop. `now` is on the steady clock.
    mutating func turnEnded(subscribers: Int, now: Timestamp) -> Action {
        guard let waiting else { return .nothing }
        let remaining = Self.maximumSeconds - now.seconds(since: waiting.committedAt)
        let mayWait = subscribers >= Self.manySubscribers && posts > 0 && waiting.commits < Self.maximumCommits
        if mayWait, remaining > 0 { return .wait(seconds: remaining) }
        self.waiting = nil
        return .publish(waiting)
    }

    /// Returns the waiting events. Call before sending anything that must come after them.
    mutating func flush() -> Publication? {
        defer { waiting = nil }
        return waiting
    }
}

extension PublicationQueue.Publication {
    fileprivate mutating func append(_ events: [EncodedEvent]) {
        guard let first = events.first else { return }
        if let last = batches.last?.last, last.epoch == first.epoch, last.seq + 1 == first.seq {
            batches[batches.count - 1] += events
        } else {
            batches.append(events)
        }
    }
}
