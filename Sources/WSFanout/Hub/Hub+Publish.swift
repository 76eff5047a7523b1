public import EventModel

extension Hub {
    /// What a commit added to the log, ascending by seq and without a gap. Events at or before the head are known
    /// already and are passed over; where the first lies further on, live subscribers get those between from the store
    /// before.
    public func publish(_ batch: [EncodedEvent]) {
        guard let newest = batch.last else { return }
        if newest.epoch != window.epoch {
            restart(StreamWindow(epoch: newest.epoch, oldest: 0, head: batch[0].seq - 1))
        }
        let events = batch[batch.firstIndex(after: window.head)...]
        guard let first = events.first else { return }
        let missed = bridge(to: first.seq - 1)
        ring.append(events)
        window.head = newest.seq
        metrics.publishedEvents += Int64(events.count)
        lazy var sessions = Set(events.map(\.sessionID))
        for (feed, subscribers) in live {
            if let session = feed.filter.sessionID, !sessions.contains(session) { continue }
            let batches = FrameBatch.all(of: events, for: feed, limit: limits.batchBytes)
            metrics.batchesBuilt += Int64(batches.count)
            if !batches.isEmpty { hand(batches, to: subscribers.members) }
        }
        for subscriber in missed { advance(subscriber) }
        sendNotices()
    }

    /// The log was restored or truncated: no cursor of the old epoch means anything, so that every subscriber has to
    /// come again.
    ///
    /// `newest`: the end of the log without a hole, ascending, up to the window's head; so that those who come again
    /// need not be fed from the store.
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

    /// The log ends at `position`, as the store says: what was committed there and never published here is sent from
    /// the store. Positions that are known already are passed over.
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

    /// Retention is about to drop the events up to and including `seq`. To be told before they go.
    public func trimmed(through seq: Int64) {
        window.oldest = max(window.oldest, min(seq, window.head))
    }

    /// Events between the head and `position` were never published here: whoever was live is behind by them.
    private func bridge(to position: Int64) -> [Subscriber] {
        guard position > window.head else { return [] }
        // From the end, so that no member that remains has to move.
        let missed = live.values.flatMap { $0.members.reversed() }
        for subscriber in missed { fallBehind(subscriber, at: window.head) }
        ring.restart(at: position)
        return missed
    }

    /// A subscriber gets no more after the first batch that has to wait: the rest is in the ring.
    private func hand(_ batches: [FrameBatch], to subscribers: [Subscriber]) {
        var takers = subscribers
        for (number, batch) in batches.enumerated() {
            let place = number == batches.count - 1 ? window.head : batch.through
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
