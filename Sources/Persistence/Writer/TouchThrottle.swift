import EventModel

/// Says which rows are due for a "last seen" update: a value that changed at once, one that did not once a minute.
struct TouchThrottle<Key: Hashable, Value: Equatable> {
    static var intervalSeconds: Double { 60 }
    /// Beyond this many keys the old ones are forgotten.
    static var capacity: Int { 10_000 }

    private var written: [Key: (value: Value, at: Timestamp)] = [:]

    func isDue(_ key: Key, _ value: Value, at time: Timestamp) -> Bool {
        guard let last = written[key], last.value == value else { return true }
        return abs(time.seconds(since: last.at)) >= Self.intervalSeconds
    }

    /// To be called after the commit that wrote it.
    mutating func wrote(_ key: Key, _ value: Value, at time: Timestamp) {
        written[key] = (value, time)
        guard written.count > Self.capacity else { return }
        written = written.filter { abs(time.seconds(since: $0.value.at)) < Self.intervalSeconds }
        if written.count > Self.capacity { written = [:] }
    }
}
