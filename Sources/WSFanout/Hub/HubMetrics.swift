/// Totals since the hub started. Read on its thread.
public struct HubMetrics: Sendable, Equatable {
    public init() {}

    public internal(set) var publishedEvents: Int64 = 0
    /// Event frames passed to sockets, without heartbeats and replies.
    public internal(set) var deliveredEvents: Int64 = 0
    public internal(set) var deliveredBytes: Int64 = 0
    /// Number of concatenations, independent of the number of subscribers that each was sent to.
    public internal(set) var batchesBuilt: Int64 = 0
    public internal(set) var replayedFromRing: Int64 = 0
    public internal(set) var replayedFromStore: Int64 = 0
    public internal(set) var pagesRequested: Int64 = 0
    /// Subscribers that joined a request in progress.
    public internal(set) var pagesShared: Int64 = 0
    public internal(set) var pagesFailed: Int64 = 0
    public internal(set) var slowCloses: Int64 = 0
    public internal(set) var placeGoneCloses: Int64 = 0
    public internal(set) var heartbeats: Int64 = 0
}
