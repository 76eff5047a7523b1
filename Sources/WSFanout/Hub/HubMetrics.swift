/// Totals since the hub began, read on its thread.
public struct HubMetrics: Sendable, Equatable {
    public init() {}

    public internal(set) var publishedEvents: Int64 = 0
    /// Event frames handed to sockets, heartbeats and replies not counted.
    public internal(set) var deliveredEvents: Int64 = 0
    public internal(set) var deliveredBytes: Int64 = 0
    /// Concatenations made, however many subscribers each was handed to.
    public internal(set) var batchesBuilt: Int64 = 0
    public internal(set) var replayedFromRing: Int64 = 0
    public internal(set) var replayedFromStore: Int64 = 0
    public internal(set) var pagesRequested: Int64 = 0
    /// Subscribers that joined a request already under way.
    public internal(set) var pagesShared: Int64 = 0
    public internal(set) var pagesFailed: Int64 = 0
    public internal(set) var slowCloses: Int64 = 0
    public internal(set) var placeGoneCloses: Int64 = 0
    public internal(set) var heartbeats: Int64 = 0

    /// Of two hubs together.
    public static func + (one: HubMetrics, other: HubMetrics) -> HubMetrics {
        var sum = one
        sum.publishedEvents += other.publishedEvents
        sum.deliveredEvents += other.deliveredEvents
        sum.deliveredBytes += other.deliveredBytes
        sum.batchesBuilt += other.batchesBuilt
        sum.replayedFromRing += other.replayedFromRing
        sum.replayedFromStore += other.replayedFromStore
        sum.pagesRequested += other.pagesRequested
        sum.pagesShared += other.pagesShared
        sum.pagesFailed += other.pagesFailed
        sum.slowCloses += other.slowCloses
        sum.placeGoneCloses += other.placeGoneCloses
        sum.heartbeats += other.heartbeats
        return sum
    }
}
