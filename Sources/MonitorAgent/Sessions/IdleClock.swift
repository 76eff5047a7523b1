/// Since when sessions are idle. Pure; times are seconds of one monotonic clock.
struct IdleClock {
    /// Seconds after which the machine's file is read again.
    private static let readSeconds = 60.0

    private var since: [String: Double] = [:]
    private var readAt = -Double.infinity
    /// Seconds after which an idle session counts as unused; `nil` means never.
    private var limit: Double?

    /// - Parameter read: reads the limit in the machine's file.
    mutating func update(_ idle: Set<String>, now: Double, read: () -> Int?) {
        let isNew = idle.contains { since[$0] == nil }
        since = Dictionary(uniqueKeysWithValues: idle.map { ($0, since[$0] ?? now) })
        guard isNew || !idle.isEmpty && now >= readAt + IdleClock.readSeconds else { return }
        limit = read().map(Double.init)
        readAt = now
    }

    /// The sessions that are unused now. Each is named again only after the same time.
    mutating func takeDue(now: Double) -> [String] {
        guard let limit else { return [] }
        let due = since.filter { $0.value + limit <= now }.keys.sorted()
        for key in due { since[key] = now }
        return due
    }

    var deadline: Double? {
        guard let first = since.values.min() else { return nil }
        return min(readAt + IdleClock.readSeconds, limit.map { first + $0 } ?? .infinity)
    }
}
