internal import Synchronization
package import WSFanout

/// The loop's subscriber counts, published once a second.
package struct AudienceFigures: Sendable {
    /// Since the start.
    package var delivery = HubMetrics()
    package var lags: [Transport: SubscriberLag] = [:]
    package var fanOutSeconds = Histogram(bounds: ServerMetrics.latencyBounds)
}

/// The number of subscribers.
package final class Audience: Sendable {
    package struct Counts: Sendable, Equatable {
        package var webSockets = 0
        package var eventStreams = 0
    }

    private let counts = Mutex(Counts())
    private let latest = Mutex(AudienceFigures())

    package init() {}

    /// The values from the loop's last tick.
    package var figures: AudienceFigures { latest.withLock { $0 } }

    func keep(_ figures: AudienceFigures) {
        latest.withLock { $0 = figures }
    }

    package var now: Counts { counts.withLock { $0 } }
    var isEmpty: Bool { now == Counts() }
    var subscribers: Int { counts.withLock { $0.webSockets + $0.eventStreams } }

    func add(webSockets: Int = 0, eventStreams: Int = 0) {
        counts.withLock {
            $0.webSockets += webSockets
            $0.eventStreams += eventStreams
        }
    }
}
