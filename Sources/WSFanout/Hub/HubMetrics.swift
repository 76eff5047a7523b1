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
}
