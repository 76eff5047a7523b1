/// The properties that the subscribers of a group share, so that they get the same bytes.
struct Feed: Hashable {
    var transport: Transport
    var filter: EventFilter
}

/// The frames of consecutive events, concatenated once for all subscribers of a feed at the same position.
struct FrameBatch {
    /// Empty if no event up to `through` matches.
    let bytes: [UInt8]
    let count: Int
    /// The log position after this batch.
    let through: Int64
    /// True if the next event must be read from the store before it can be sent.
    let needsStore: Bool

    /// Takes events from the front of `events` while their frames fit into `limit` bytes, but at least one. Stops
    /// before an event that must be read from the store.
    ///
    /// `end` is the position after all of `events`.
    init(
        of events: some Collection<EncodedEvent>,
        for feed: Feed,
        limit: Int,
        end: Int64,
        areFromStore: Bool = false
    ) {
        var matching: [EncodedEvent] = []
        var length = 0
        var through = end
        var previous = end
        var needsStore = false
        for event in events {
            if feed.filter.matches(event) {
                guard areFromStore || event.isWhole(for: feed.transport) else {
                    through = event.seq - 1
                    needsStore = true
                    break
                }
                let added = event.encodedLength(for: feed.transport)
                guard added > 0 else {
                    previous = event.seq
                    continue
                }
                if !matching.isEmpty, length + added > limit {
                    through = previous
                    break
                }
                length += added
                matching.append(event)
            }
            previous = event.seq
        }
        bytes = FrameBatch.concatenate(matching, feed.transport, reserving: length)
        count = matching.count
        self.through = through
        self.needsStore = needsStore
    }

    /// A single JSON-RPC frame is shared without copying.
    private static func concatenate(_ events: [EncodedEvent], _ transport: Transport, reserving: Int) -> [UInt8] {
        if events.count == 1, transport == .jsonRPC { return events[0].frame }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(reserving)
        for event in events { event.append(for: transport, to: &bytes) }
        return bytes
    }

    /// All of `events` as batches, in order, up to an event that must be read from the store. Empty if no event
    /// matches.
    ///
    /// - Returns: the batches, and the position before that event, or `nil` if there is none.
    static func all(
        of events: ArraySlice<EncodedEvent>,
        for feed: Feed,
        limit: Int
    ) -> (batches: [FrameBatch], stop: Int64?) {
        var batches: [FrameBatch] = []
        var rest = events
        while let last = rest.last {
            let batch = FrameBatch(of: rest, for: feed, limit: limit, end: last.seq)
            if batch.count > 0 { batches.append(batch) }
            if batch.needsStore { return (batches, batch.through) }
            rest = rest[rest.firstIndex(after: batch.through)...]
        }
        return (batches, nil)
    }
}
