import DequeModule
public import EventModel

/// The fan-out of one network loop: hands every committed event to every subscriber that wants it, in log order,
/// without a hole or a repeat.
///
/// Called on its loop's thread only. A subscriber is *live* and gets each publish directly, or it is *behind*: a
/// cursor, fed from the ring when its socket has drained, and from pages of the store where the cursor is older than
/// the ring. So the memory does not depend on how slow subscribers are: ring + page cache + one batch per subscriber.
public final class Hub<Output: HubOutput> {
    public typealias Subscriber = Output.Subscriber

    public internal(set) var window: StreamWindow
    public internal(set) var metrics = HubMetrics()
    let limits: HubLimits
    let output: Output

    var subscriptions: [Subscriber: Subscription] = [:]
    /// The live ones of `subscriptions`, by what they get.
    var live: [Feed: SortedSubscribers<Subscriber>] = [:]
    /// Sockets with bytes waiting in user space, and since when.
    var blocked: [Subscriber: Timestamp] = [:]

    var ring: EventRing
    var pages: PageCache
    var batches = FrameBatchCache()
    var fetches: [PageKey: Fetch<Subscriber>] = [:]
    var line: Deque<Subscriber> = []
    var lastTicket: Int64 = 0
    /// Set by a failed page, until the next tick.
    var isStoreAway = false

    /// What clients have said of themselves.
    public internal(set) var presence = Presence()
    var clientIDs: [Subscriber: String] = [:]
    var subscribersOfClients: [String: Subscriber] = [:]
    /// When a person last showed at clients that are on screen. To a tick.
    var lastInteractions: [Subscriber: Timestamp] = [:]
    /// To be told to others when no publish is under way.
    var notices: [PresenceNotice] = []

    var now: Timestamp
    /// Of the day, at the last tick.
    var time: Timestamp
    var heartbeats: HeartbeatSchedule

    /// `window` is the log as the store has it when the hub begins to be told of commits; `now` as in `tick`.
    public init(
        window: StreamWindow,
        output: Output,
        limits: HubLimits = HubLimits(),
        now: Timestamp
    ) {
        self.window = window
        self.output = output
        self.limits = limits
        self.now = now
        time = now
        ring = EventRing(at: window.head, maxBytes: limits.ringBytes, maxEvents: limits.ringEvents)
        pages = PageCache(maxBytes: limits.pageCacheBytes)
        heartbeats = HeartbeatSchedule(limits: limits, now: now)
    }

    /// Connects a socket that wants no events yet: it is kept awake by heartbeats.
    public func attach(_ subscriber: Subscriber, transport: Transport) {
        guard subscriptions[subscriber] == nil else { return }
        subscriptions[subscriber] = Subscription(feed: nil, transport: transport, progress: .idle)
    }

    /// Starts the stream after `position`, which `window.resolve` gave in this same turn; an earlier subscription of
    /// the subscriber ends. Replayed events leave before this returns: send the answer to the client first.
    public func subscribe(
        _ subscriber: Subscriber,
        transport: Transport,
        filter: EventFilter,
        after position: StreamPosition
    ) {
        // Another hub was quicker to show what was committed.
        if position.epoch == window.epoch, position.seq > window.head { logReaches(position) }
        let feed = Feed(transport: transport, filter: filter)
        let isInLine = subscriptions[subscriber]?.isInLine ?? false
        leaveLive(subscriber)
        subscriptions[subscriber] = Subscription(
            feed: feed,
            transport: transport,
            progress: .behind(cursor: min(position.seq, window.head), ticket: nil),
            isInLine: isInLine
        )
        advance(subscriber)
    }

    /// Another filter for a subscription that keeps its place.
    func refilter(_ subscriber: Subscriber, transport: Transport, filter: EventFilter) {
        var position = window.position
        if case .behind(let cursor, _) = subscriptions[subscriber]?.progress { position.seq = cursor }
        subscribe(subscriber, transport: transport, filter: filter, after: position)
    }

    /// No more events; the socket stays connected.
    public func unsubscribe(_ subscriber: Subscriber) {
        leaveLive(subscriber)
        subscriptions[subscriber]?.feed = nil
        subscriptions[subscriber]?.progress = .idle
    }

    /// The socket is closed.
    public func remove(_ subscriber: Subscriber) {
        forget(subscriber)
        sendNotices()
    }

    func forget(_ subscriber: Subscriber) {
        forgetPresence(subscriber)
        leaveLive(subscriber)
        blocked[subscriber] = nil
        subscriptions[subscriber] = nil
    }

    /// All bytes that waited in user space have left.
    public func drained(_ subscriber: Subscriber) {
        blocked[subscriber] = nil
        advance(subscriber)
    }

    /// Sends what is no event, to an attached subscriber: replies, openings. They count against the slow-reader bound.
    public func send(_ bytes: [UInt8], to subscriber: Subscriber) {
        note(output.send(bytes, to: subscriber), of: subscriber)
    }

    /// What became of bytes that are no event.
    func note(_ result: OutputResult, of subscriber: Subscriber) {
        switch result {
        case .sent: break
        case .waiting(let unread):
            guard subscriptions[subscriber] != nil else { return }
            block(subscriber)
            if unread > limits.unreadReplyBytes { expel(subscriber, .tooSlow) }
        case .gone: forget(subscriber)
        }
    }

    func leaveLive(_ subscriber: Subscriber) {
        guard let subscription = subscriptions[subscriber], case .live = subscription.progress,
            let feed = subscription.feed
        else { return }
        live[feed]?.remove(subscriber)
        if live[feed]?.members.isEmpty == true { live[feed] = nil }
    }

    /// The socket takes no more for now. A live subscriber has all up to the head.
    func block(_ subscriber: Subscriber) {
        if blocked[subscriber] == nil { blocked[subscriber] = now }
        fallBehind(subscriber, at: window.head)
    }

    func fallBehind(_ subscriber: Subscriber, at cursor: Int64) {
        guard case .live = subscriptions[subscriber]?.progress else { return }
        leaveLive(subscriber)
        subscriptions[subscriber]?.progress = .behind(cursor: cursor, ticket: nil)
    }

    func expel(_ subscriber: Subscriber, _ code: CloseCode) {
        if code == .placeGone { metrics.placeGoneCloses += 1 } else { metrics.slowCloses += 1 }
        forget(subscriber)
        output.close(subscriber, code)
    }
}
