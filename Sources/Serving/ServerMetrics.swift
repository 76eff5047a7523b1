internal import Synchronization

/// The server's counters, shared by all its threads. Labels come from fixed sets, so clients cannot add any.
package final class ServerMetrics: Sendable {
    /// Seconds.
    package static let latencyBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

    package struct Counts: Sendable {
        /// Number of requests by status and route.
        package var requests: [RequestLabel: Int64] = [:]
        package var accepted: Int64 = 0
        package var duplicates: Int64 = 0
        package var rejected: Int64 = 0
        package var unavailable: Int64 = 0
        package var spooled: Int64 = 0
        /// Telemetry records and spans that were accepted but not stored.
        package var telemetryDropped: Int64 = 0
        package var refusedLogins: Int64 = 0
        package var rateLimited: Int64 = 0
        /// Number of refused connections by reason.
        package var turnedAway: [String: Int64] = [:]
        /// Events in each commit.
        package var batchEvents = Histogram(bounds: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000])
        /// Bytes queued behind each commit when it finished.
        package var queuedBytes = Histogram(bounds: [0, 1e3, 1e4, 1e5, 1e6, 4e6, 16e6, 64e6])
        /// Seconds from a complete request to its commit.
        package var commitLatency = Histogram(bounds: latencyBounds)
    }

    package struct RequestLabel: Hashable, Sendable {
        package var route: String
        package var status: Int
    }

    private let counts = Mutex(Counts())

    package init() {}

    func update(_ change: (inout Counts) -> Void) {
        counts.withLock { change(&$0) }
    }

    package var snapshot: Counts { counts.withLock { $0 } }
}
