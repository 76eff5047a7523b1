/// The limits of one hub. Sizes are in bytes, times in seconds.
public struct HubLimits: Sendable {
    /// Size of the newest events, kept encoded for subscribers that are slightly behind.
    public var ringBytes = 16 << 20
    public var ringEvents = 10_000
    /// Size of the whole frames in one send. A larger single frame is sent alone.
    public var batchBytes = 64 << 10
    /// Number of events that one store request may return.
    public var pageEvents = 256
    public var pageBytes = 1 << 20
    /// Size of the stored pages kept for other subscribers at the same position. The newest page is kept whatever its
    /// size.
    public var pageCacheBytes = 4 << 20
    /// Maximum number of concurrent store requests; further subscribers wait in line. Must be less than the number of
    /// the store's connections, so that slow requests do not occupy all of them.
    public var concurrentPages = 2
    /// A socket that has not accepted its bytes within this time is closed with 4008. Allows for a frame of 1 MiB at
    /// 28 kbit/s.
    public var stallSeconds = 300.0
    /// Maximum size of unread replies before a client is closed with 4008.
    public var unreadReplyBytes = 4 << 20
    /// If more clients view one session, they are not notified of viewers that come or go, because every notice goes
    /// to all of them and lists all of them.
    public var noticedViewers = 50
    public var webSocketHeartbeatSeconds = 30.0
    public var eventStreamHeartbeatSeconds = 20.0

    public init() {}
}
