import DequeModule

/// The store's answer: all events after `after` up to and including `through` that match `filter`.
struct StoredPage {
    var after: Int64
    var through: Int64
    var filter: EventFilter
    /// All events are whole.
    var isForDialect: Bool
    var events: [EncodedEvent]
    var bytes: Int

    init(_ key: PageKey, through: Int64, events: [EncodedEvent]) {
        after = key.after
        filter = key.filter
        isForDialect = key.isForDialect
        self.through = through
        self.events = events
        bytes = events.reduce(256) { $0 + $1.footprint }
    }
}

/// The most recent pages from the store. Subscribers at the same position read them once, and a slow one does not
/// request again what it could not take at once.
struct PageCache {
    private var pages: Deque<StoredPage> = []
    private(set) var bytes = 0
    private let maxBytes: Int

    init(maxBytes: Int) {
        self.maxBytes = maxBytes
    }

    mutating func insert(_ page: StoredPage) {
        pages.append(page)
        bytes += page.bytes
        while bytes > maxBytes, pages.count > 1, let oldest = pages.popFirst() {
            bytes -= oldest.bytes
        }
    }

    /// A page that contains the next events after `cursor` for the feed.
    func page(after cursor: Int64, for feed: Feed) -> StoredPage? {
        pages.last { page in
            page.after <= cursor && cursor < page.through && (page.filter == feed.filter || page.filter == .all)
                && (page.isForDialect || !feed.transport.needsWholeEvents)
        }
    }

    mutating func removeAll() {
        self = PageCache(maxBytes: maxBytes)
    }
}
