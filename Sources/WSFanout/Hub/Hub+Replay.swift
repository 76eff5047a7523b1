import DequeModule

struct PageKey: Hashable {
    var after: Int64
    var filter: EventFilter
    var isForDialect: Bool
}

/// A store request in progress, and the subscribers that wait for it.
struct Fetch<Subscriber> {
    var request: PageRequest
    var waiters: [Subscriber]
}

extension Hub {
    /// The answer to a page request. If `isComplete`, `events` holds all matching events up to the request's
    /// `through`; otherwise all up to `place`, or up to the last event if `place` is nil. Ignores an unknown ticket.
    public func supply(_ ticket: Int64, events: [EncodedEvent], isComplete: Bool, through place: Int64? = nil) {
        guard let (key, fetch) = fetches.first(where: { $0.value.request.ticket == ticket }) else { return }
        guard let through = isComplete ? fetch.request.through : place ?? events.last?.seq, through > key.after else {
            return pageFailed(ticket)
        }
        fetches[key] = nil
        if key.after >= window.oldest {
            pages.insert(StoredPage(key, through: through, events: events))
        }
        release(fetch)
        serveLine()
    }

    /// The store failed to answer. The waiting subscribers try again after the next tick.
    public func pageFailed(_ ticket: Int64) {
        guard let (key, fetch) = fetches.first(where: { $0.value.request.ticket == ticket }) else { return }
        metrics.pagesFailed += 1
        fetches[key] = nil
        isStoreAway = true
        release(fetch)
    }

    /// Events were erased from the store. The hub no longer sends earlier events from memory. Subscribers that are
    /// behind read them from the store.
    public func erased() {
        ring.restart(at: window.head)
        pages.removeAll()
        batches.removeAll()
        // The pages in progress may hold erased events.
        let waiting = fetches.values
        fetches.removeAll()
        for fetch in waiting { release(fetch) }
        serveLine()
    }

    private func release(_ fetch: Fetch<Subscriber>) {
        for subscriber in fetch.waiters {
            guard case .behind(let cursor, fetch.request.ticket) = subscriptions[subscriber]?.progress else { continue }
            subscriptions[subscriber]?.progress = .behind(cursor: cursor, ticket: nil)
            advance(subscriber)
        }
    }

    /// Feeds a subscriber that is behind until it is live, its socket is full, or a store request is needed.
    func advance(_ subscriber: Subscriber, isItsTurn: Bool = false) {
        while let subscription = subscriptions[subscriber], let feed = subscription.feed,
            case .behind(let cursor, nil) = subscription.progress, !subscription.isInLine, blocked[subscriber] == nil
        {
            if cursor >= window.head {
                subscriptions[subscriber]?.progress = .live
                let members = live[feed] ?? SortedSubscribers()
                members.insert(subscriber)
                live[feed] = members
                return
            }
            guard let batch = nextBatch(feed, after: cursor) else {
                return requestPage(for: subscriber, feed, after: cursor, isItsTurn: isItsTurn)
            }
            subscriptions[subscriber]?.progress = .behind(cursor: batch.through, ticket: nil)
            guard batch.count > 0 else { continue }
            let result = output.send(batch.bytes, to: subscriber)
            if case .gone = result { return forget(subscriber) }
            if case .waiting = result { blocked[subscriber] = now }
            count(batch)
            if cursor >= ring.start {
                metrics.replayedFromRing += Int64(batch.count)
            } else {
                metrics.replayedFromStore += Int64(batch.count)
            }
        }
    }

    private func nextBatch(_ feed: Feed, after cursor: Int64) -> FrameBatch? {
        let key = FrameBatchCache.Key(feed: feed, after: cursor)
        if let batch = batches[key] { return batch }
        let batch: FrameBatch
        if let newest = newestBatch(feed, after: cursor) {
            batch = newest
        } else if let page = pages.page(after: cursor, for: feed) {
            let events = page.events[page.events.firstIndex(after: cursor)...]
            batch = FrameBatch(
                of: events,
                for: feed,
                limit: limits.batchBytes,
                end: page.through,
                areFromStore: true
            )
        } else {
            return nil
        }
        metrics.batchesBuilt += 1
        batches.insert(batch, at: key)
        return batch
    }

    /// From the ring; `nil` if the next event is not in it, or must be read from the store.
    private func newestBatch(_ feed: Feed, after cursor: Int64) -> FrameBatch? {
        guard let events = ring.events(after: cursor) else { return nil }
        let batch = FrameBatch(of: events, for: feed, limit: limits.batchBytes, end: ring.end)
        return batch.count == 0 && batch.through == cursor && batch.needsStore ? nil : batch
    }

    private func requestPage(for subscriber: Subscriber, _ feed: Feed, after cursor: Int64, isItsTurn: Bool) {
        guard cursor >= window.oldest else { return expel(subscriber, .placeGone) }
        let key = PageKey(after: cursor, filter: feed.filter, isForDialect: feed.transport.needsWholeEvents)
        if let fetch = fetches[key] {
            metrics.pagesShared += 1
            fetches[key]?.waiters.append(subscriber)
            subscriptions[subscriber]?.progress = .behind(cursor: cursor, ticket: fetch.request.ticket)
            return
        }
        let hasRoom = fetches.count < limits.concurrentPages && (isItsTurn || line.isEmpty)
        guard hasRoom, !isStoreAway else {
            subscriptions[subscriber]?.isInLine = true
            line.append(subscriber)
            return
        }
        lastTicket += 1
        let request = PageRequest(
            ticket: lastTicket,
            after: cursor,
            // In the ring only the next event must be read from the store.
            through: max(ring.start, cursor + 1),
            filter: feed.filter,
            isForDialect: key.isForDialect,
            maxEvents: limits.pageEvents,
            maxBytes: limits.pageBytes
        )
        fetches[key] = Fetch(request: request, waiters: [subscriber])
        subscriptions[subscriber]?.progress = .behind(cursor: cursor, ticket: request.ticket)
        metrics.pagesRequested += 1
        output.requestPage(request)
    }

    /// Starts store requests for waiting subscribers, first come first served, up to the limit.
    func serveLine() {
        while !isStoreAway, fetches.count < limits.concurrentPages, let subscriber = line.popFirst() {
            guard subscriptions[subscriber]?.isInLine == true else { continue }
            subscriptions[subscriber]?.isInLine = false
            advance(subscriber, isItsTurn: true)
        }
    }
}
