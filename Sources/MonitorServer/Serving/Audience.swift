internal import Synchronization
internal import WSFanout

/// The loop's subscriber counts, published once a second.
struct AudienceFigures: Sendable {
    /// Since the start.
    var delivery = HubMetrics()
    var lags: [Transport: SubscriberLag] = [:]
    var fanOutSeconds = Histogram(bounds: ServerMetrics.latencyBounds)
}

/// The number of subscribers.
final class Audience: Sendable {
    struct Counts: Sendable, Equatable {
        var webSockets = 0
        var eventStreams = 0
    }

    private let counts = Mutex(Counts())
    private let latest = Mutex(AudienceFigures())

    /// From the loop's last tick.
    var figures: AudienceFigures { latest.withLock { $0 } }

    func keep(_ figures: AudienceFigures) {
        latest.withLock { $0 = figures }
    }

    var now: Counts { counts.withLock { $0 } }
    var isEmpty: Bool { now == Counts() }

    func add(webSockets: Int = 0, eventStreams: Int = 0) {
        counts.withLock {
            $0.webSockets += webSockets
            $0.eventStreams += eventStreams
        }
    }
}
