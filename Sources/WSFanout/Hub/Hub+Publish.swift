public import EventModel

extension Hub {
    /// Publishes the events that a commit added to the log, ascending by seq and without gaps. Ignores events at or
    /// before the head, which are known already. If the first event is beyond the head's successor, live subscribers
    /// first get the events in between from the store.
    public func publish(_ batch: [EncodedEvent]) {
        guard let newest = batch.last else { return }
        if newest.epoch != window.epoch {
            restart(StreamWindow(epoch: newest.epoch, oldest: 0, head: batch[0].seq - 1))
        }
        let events = batch[batch.firstIndex(after: window.head)...]
        guard let first = events.first else { return }
        var missed = bridge(to: first.seq - 1)
        ring.append(events)
        window.head = newest.seq
        metrics.publishedEvents += Int64(events.count)
        lazy var sessions = Set(events.map(\.sessionID))
        for (feed, subscribers) in live {
            if let session = feed.filter.sessionID, !sessions.contains(session) { continue }
            let (batches, stop) = FrameBatch.all(of: events, for: feed, limit: limits.batchBytes)
            metrics.batchesBuilt += Int64(batches.count)
            if !batches.isEmpty { hand(batches, to: subscribers.members, end: stop ?? window.head) }
            guard let stop else { continue }
            // In reverse order, so that removing a member does not move the remaining ones.
            for subscriber in (live[feed]?.members ?? []).reversed() {
                fallBehind(subscriber, at: stop)
                missed.append(subscriber)
            }
        }
        for subscriber in missed { advance(subscriber) }
        sendNotices()
    }

    /// The log was restored or truncated. Cursors of the old epoch are invalid, so every subscriber must reconnect.
    ///
    /// `newest`: the end of the log without gaps, ascending, up to the window's head. With it, reconnecting
    /// subscribers need not be fed from the store.
    public func restart(_ window: StreamWindow, holding newest: [EncodedEvent] = []) {
        self.window = window
        ring.restart(at: window.head, holding: newest)
        pages.removeAll()
        batches.removeAll()
        fetches.removeAll()
        for (subscriber, subscription) in subscriptions where subscription.feed != nil {
            expel(subscriber, .placeGone)
        }
    }

    /// The store reports that the log ends at `position`. Events committed there but never published here are sent
    /// from the store. Ignores positions that are known already.
    public func logReaches(_ position: StreamPosition) {
        guard position.epoch == window.epoch else {
            return restart(StreamWindow(epoch: position.epoch, oldest: 0, head: position.seq))
        }
        guard position.seq > window.head else { return }
        let missed = bridge(to: position.seq)
        window.head = position.seq
        for subscriber in missed { advance(subscriber) }
        sendNotices()
    }

    /// Retention is about to drop the events up to and including `seq`. Call before they are dropped.
    public func trimmed(through seq: Int64) {
        window.oldest = max(window.oldest, min(seq, window.head))
    }

    /// Events between the head and `position` were never published here, so live subscribers are now behind.
    private func bridge(to position: Int64) -> [Subscriber] {
        guard position > window.head else { return [] }
        // In reverse order, so that removing a member does not move the remaining ones.
        let missed = live.values.flatMap { $0.members.reversed() }
        for subscriber in missed { fallBehind(subscriber, at: window.head) }
        ring.restart(at: position)
        return missed
    }

    /// A subscriber gets no more after the first batch that must wait. The ring holds the rest.
    private func hand(_ batches: [FrameBatch], to subscribers: [Subscriber], end: Int64) {
        var takers = subscribers
        for (number, batch) in batches.enumerated() {
            let place = number == batches.count - 1 ? end : batch.through
            let asked = takers.count
            var gone = 0
            var lost: Set<Subscriber> = []
            for (subscriber, result) in output.send(batch.bytes, toAll: takers).reversed() {
                switch result {
                case .sent: continue
                case .gone:
                    gone += 1
                    forget(subscriber)
                case .waiting:
                    blocked[subscriber] = now
                    fallBehind(subscriber, at: place)
                }
                lost.insert(subscriber)
            }
            if !lost.isEmpty { takers.removeAll(where: lost.contains) }
            count(batch, times: asked - gone)
        }
    }

    func count(_ batch: FrameBatch, times: Int = 1) {
        metrics.deliveredEvents += Int64(batch.count * times)
        metrics.deliveredBytes += Int64(batch.bytes.count * times)
    }
}
