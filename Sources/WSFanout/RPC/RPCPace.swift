import EventModel

/// How fast one socket may call: the generic cell rate algorithm (ITU-T I.371).
struct RPCPace: Sendable {
    /// Requests a second that may go on for ever.
    static let perSecond = 100.0
    /// Requests that may come at once after a quiet time.
    static let burst = 1000

    /// When the bucket will be empty again.
    private var emptyAt: Timestamp?

    /// `false`: too many.
    mutating func take(_ requests: Int, now: Timestamp) -> Bool {
        let capacity = Double(RPCPace.burst) / RPCPace.perSecond
        var backlog = emptyAt.map { max(0, $0.seconds(since: now)) } ?? 0
        // Only a clock that was set back can leave more than a full bucket.
        if backlog > capacity { backlog = 0 }
        let filled = backlog + Double(requests) / RPCPace.perSecond
        guard filled <= capacity else { return false }
        emptyAt = now.adding(seconds: filled)
        return true
    }
}
