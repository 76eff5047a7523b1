import EventModel

/// Decides which rows need a "last seen" update: a changed value at once, an unchanged one once a minute.
struct LastSeenThrottle<Key: Hashable, Value: Equatable> {
    static var intervalSeconds: Double { 60 }
    /// Beyond this number of keys, old ones are evicted.
    static var capacity: Int { 10_000 }

    private var written: [Key: (value: Value, at: Timestamp)] = [:]

    func isDue(_ key: Key, _ value: Value, at time: Timestamp) -> Bool {
        guard let last = written[key], last.value == value else { return true }
        return abs(time.seconds(since: last.at)) >= Self.intervalSeconds
    }

    /// Call after the commit that wrote it.
    mutating func wrote(_ key: Key, _ value: Value, at time: Timestamp) {
        written[key] = (value, time)
        guard written.count > Self.capacity else { return }
        written = written.filter { abs(time.seconds(since: $0.value.at)) < Self.intervalSeconds }
        if written.count > Self.capacity { written = [:] }
    }
}
