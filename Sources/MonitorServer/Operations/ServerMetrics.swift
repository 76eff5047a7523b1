internal import Synchronization

/// The server's counters, shared by all its threads. Labels come from fixed sets, so clients cannot add any.
final class ServerMetrics: Sendable {
    /// Seconds.
    static let latencyBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

    struct Counts: Sendable {
        /// By status and route.
        var requests: [RequestLabel: Int64] = [:]
        var accepted: Int64 = 0
        var duplicates: Int64 = 0
        var rejected: Int64 = 0
        var unavailable: Int64 = 0
        var spooled: Int64 = 0
        /// Telemetry records and spans that were accepted and not stored.
        var telemetryDropped: Int64 = 0
        var refusedLogins: Int64 = 0
        var rateLimited: Int64 = 0
        /// By reason.
        var turnedAway: [String: Int64] = [:]
        /// Events in each commit.
        var batchEvents = Histogram(bounds: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])
        /// Bytes queued behind each commit when it finished.
        var queuedBytes = Histogram(bounds: [0, 1e3, 1e4, 1e5, 1e6, 4e6, 16e6, 64e6])
        /// Seconds from a complete request to its commit.
        var commitLatency = Histogram(bounds: latencyBounds)
    }

    struct RequestLabel: Hashable, Sendable {
        var route: String
        var status: Int
    }

    private let counts = Mutex(Counts())

    func update(_ change: (inout Counts) -> Void) {
        counts.withLock { change(&$0) }
    }

    var snapshot: Counts { counts.withLock { $0 } }
}
