import EventModel

/// How fast the other end may call: the generic cell rate algorithm (ITU-T I.371).
struct RPCPace: Sendable {
    let perSecond: Double
    let burst: Int
    /// When the bucket will be empty again.
    private var emptyAt: Timestamp?

    init(perSecond: Double, burst: Int) {
        (self.perSecond, self.burst) = (perSecond, burst)
    }

    /// Returns false if there are too many.
    mutating func take(_ requests: Int, now: Timestamp) -> Bool {
        let capacity = Double(burst) / perSecond
        var backlog = emptyAt.map { max(0, $0.seconds(since: now)) } ?? 0
        // Only a clock that was set back can leave more than a full bucket.
        if backlog > capacity { backlog = 0 }
        let filled = backlog + Double(requests) / perSecond
        guard filled <= capacity else { return false }
        emptyAt = now.adding(seconds: filled)
        return true
    }
}
