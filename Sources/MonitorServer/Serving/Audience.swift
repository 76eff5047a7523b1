internal import Synchronization
internal import WSFanout

/// What a loop tells of its subscribers once a second.
struct AudienceFigures: Sendable {
    /// Since the start.
    var delivery = HubMetrics()
    var lags: [Transport: SubscriberLag] = [:]
    var fanOutSeconds = Histogram(bounds: ServerMetrics.latencyBounds)

    mutating func add(_ other: AudienceFigures) {
        delivery = delivery + other.delivery
        lags.merge(other.lags, uniquingKeysWith: +)
        fanOutSeconds.add(other.fanOutSeconds)
    }
}

/// How many listen, counted over all loops.
final class Audience: Sendable {
    struct Counts: Sendable, Equatable {
        var webSockets = 0
        var eventStreams = 0
    }

    private let counts = Mutex(Counts())
    private let latest = Mutex<[ObjectIdentifier: AudienceFigures]>([:])

    /// Of all loops, each as of its last tick.
    var figures: AudienceFigures {
        latest.withLock { $0 }.values.reduce(into: AudienceFigures()) { $0.add($1) }
    }

    func keep(_ figures: AudienceFigures, of loop: ObjectIdentifier) {
        latest.withLock { $0[loop] = figures }
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
