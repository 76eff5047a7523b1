/// The bounds of one hub. Sizes are bytes, times seconds.
public struct HubLimits: Sendable {
    /// Of the newest events, kept encoded for those who are a little behind.
    public var ringBytes = 16 << 20
    public var ringEvents = 10_000
    /// Of whole frames handed over in one send; one larger frame goes alone.
    public var batchBytes = 64 << 10
    /// What one request to the store may bring.
    public var pageEvents = 256
    public var pageBytes = 1 << 20
    /// Of stored pages, kept for the other subscribers on the same way. The newest page is kept whatever its size.
    public var pageCacheBytes = 4 << 20
    /// Requests to the store under way at a time; more subscribers wait their turn. Fewer than the store has
    /// connections: slow ones must not keep all of them.
    public var concurrentPages = 2
    /// A socket that has not taken what was handed to it after so long is closed with 4008: a frame of 1 MiB, at
    /// 28 kbit/s.
    public var stallSeconds = 300.0
    /// Replies that a client may leave unread before it is closed with 4008.
    public var unreadReplyBytes = 4 << 20
    /// Where more look at one session, they are not told of each that comes or goes: every notice goes to all of them
    /// and names them all.
    public var noticedViewers = 50
    public var webSocketHeartbeatSeconds = 30.0
    public var eventStreamHeartbeatSeconds = 20.0

    public init() {}
}
