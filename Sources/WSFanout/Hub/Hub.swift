import DequeModule
public import EventModel

/// The fan-out of one network loop: passes every committed event to every subscriber whose filter matches, in log
/// order, without gaps or repetitions.
///
/// Called on its loop's thread only. A subscriber is either *live* and gets each publish directly, or *behind*. Then
/// it is only a cursor: it is fed from the ring when its socket has drained, or from pages of the store if the cursor
/// is older than the ring. So memory use does not depend on slow subscribers: ring + page cache + one batch per
/// subscriber.
public final class Hub<Output: HubOutput> {
    public typealias Subscriber = Output.Subscriber

    public internal(set) var window: StreamWindow
    public internal(set) var metrics = HubMetrics()
    let limits: HubLimits
    let output: Output

    var subscriptions: [Subscriber: Subscription] = [:]
    /// The live `subscriptions`, by feed.
    var live: [Feed: SortedSubscribers<Subscriber>] = [:]
    /// The `subscriptions` whose filters name `session_row`.
    var rowFollowers: Set<Subscriber> = []
    /// The subscribers that get what sessions send while it happens.
    var liveFollowers = LiveFollowers<Subscriber>()
    /// The subscribers that get what changes in workspaces.
    var followers = WorkspaceFollowers<Subscriber>()
    /// What each of `rowFollowers` has not got. Bounded for each.
    var owedRows: [Subscriber: OwedRows] = [:]
    /// Sockets with bytes waiting in user space, and the time at which they blocked.
    var blocked: [Subscriber: Timestamp] = [:]

    var ring: EventRing
    var pages: PageCache
    var batches = FrameBatchCache()
    var fetches: [PageKey: Fetch<Subscriber>] = [:]
    var line: Deque<Subscriber> = []
    var lastTicket: Int64 = 0
    /// Set after a failed page, until the next tick.
    var isStoreAway = false

    /// The locations that clients have reported.
    public internal(set) var presence = Presence()
    var clientIDs: [Subscriber: String] = [:]
    var subscribersOfClients: [String: Subscriber] = [:]
    /// When a person was last active, for visible clients. Accurate to a tick.
    var lastInteractions: [Subscriber: Timestamp] = [:]
    /// Notices to send when no publish is in progress.
    var notices: [PresenceNotice] = []

    var now: Timestamp
    /// The wall clock's time at the last tick.
    var time: Timestamp
    var heartbeats: HeartbeatSchedule

    /// `window` is the state of the log in the store when the hub starts to receive commits. `now` is as in `tick`.
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

    /// Connects a socket without a subscription. It gets heartbeats only.
    public func attach(_ subscriber: Subscriber, transport: Transport) {
        guard subscriptions[subscriber] == nil else { return }
        subscriptions[subscriber] = Subscription(feed: nil, transport: transport, progress: .idle)
    }

    /// Starts the stream after `position`, which `window.resolve` returned in the same turn. Replaces an earlier
    /// subscription of the subscriber. Replayed events are sent before this returns, so send the answer to the client
    /// first.
    public func subscribe(
        _ subscriber: Subscriber,
        transport: Transport,
        filter: EventFilter,
        after position: StreamPosition
    ) {
        // Another hub has already published this commit.
        if position.epoch == window.epoch, position.seq > window.head { logReaches(position) }
        let feed = Feed(transport: transport, filter: filter)
        let isInLine = subscriptions[subscriber]?.isInLine ?? false
        liveFollowers.remove(subscriber)
        leaveLive(subscriber)
        subscriptions[subscriber] = Subscription(
            feed: feed,
            transport: transport,
            progress: .behind(cursor: min(position.seq, window.head), ticket: nil),
            isInLine: isInLine
        )
        if !transport.isDialect { liveFollowers.add(subscriber, filter) }
        follow(filter, subscriber)
        if filter.types?.contains(.sessionRow) ?? false {
            rowFollowers.insert(subscriber)
        } else {
            forgetRows(of: subscriber)
        }
        advance(subscriber)
    }

    /// Changes the filter of a subscription, which keeps its position.
    func refilter(_ subscriber: Subscriber, transport: Transport, filter: EventFilter) {
        var position = window.position
        if case .behind(let cursor, _) = subscriptions[subscriber]?.progress { position.seq = cursor }
        subscribe(subscriber, transport: transport, filter: filter, after: position)
    }

    /// Stops the events. The socket stays connected.
    public func unsubscribe(_ subscriber: Subscriber) {
        liveFollowers.remove(subscriber)
        follow(nil, subscriber)
        forgetRows(of: subscriber)
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
        liveFollowers.remove(subscriber)
        followers.remove(subscriber)
        forgetRows(of: subscriber)
        leaveLive(subscriber)
        blocked[subscriber] = nil
        subscriptions[subscriber] = nil
    }

    /// All bytes that waited in user space have been sent.
    public func drained(_ subscriber: Subscriber) {
        blocked[subscriber] = nil
        advance(subscriber)
    }

    /// Sends bytes that are not events to an attached subscriber: replies and openings. They count towards the
    /// slow-reader limit.
    public func send(_ bytes: [UInt8], to subscriber: Subscriber) {
        note(output.send(bytes, to: subscriber), of: subscriber)
    }

    /// Handles the result of sending bytes that are not events.
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

    /// The socket is full for now. A live subscriber has received everything up to the head.
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
