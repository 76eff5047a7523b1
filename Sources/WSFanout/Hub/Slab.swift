/// What a group of subscribers gets alike.
struct Feed: Hashable {
    var transport: Transport
    var filter: EventFilter
}

/// Whole frames, concatenated once and handed to every subscriber of a feed that stands at the same place.
struct Slab {
    /// Empty where no event up to `through` matches.
    let bytes: [UInt8]
    let count: Int
    /// The place in the log after this slab.
    let through: Int64

    /// Takes events from the front of `events` while their frames fit into `limit` bytes, at least one.
    ///
    /// `end` is the place after all of `events`.
    init(of events: some Collection<EncodedEvent>, for feed: Feed, limit: Int, end: Int64) {
        var matching: [EncodedEvent] = []
        var length = 0
        var through = end
        var previous = end
        for event in events {
            if feed.filter.matches(event) {
                let added = event.encodedLength(for: feed.transport)
                if !matching.isEmpty, length + added > limit {
                    through = previous
                    break
                }
                length += added
                matching.append(event)
            }
            previous = event.seq
        }
        bytes = Slab.concatenate(matching, feed.transport, reserving: length)
        count = matching.count
        self.through = through
    }

    /// A single JSON-RPC frame is shared as it is.
    private static func concatenate(_ events: [EncodedEvent], _ transport: Transport, reserving: Int) -> [UInt8] {
        if events.count == 1, transport == .jsonRPC { return events[0].frame }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(reserving)
        for event in events { event.append(for: transport, to: &bytes) }
        return bytes
    }

    /// All of `events` as slabs, in order; none where none matches.
    static func all(of events: ArraySlice<EncodedEvent>, for feed: Feed, limit: Int) -> [Slab] {
        var slabs: [Slab] = []
        var rest = events
        while let last = rest.last {
            let slab = Slab(of: rest, for: feed, limit: limit, end: last.seq)
            if slab.count > 0 { slabs.append(slab) }
            rest = rest[rest.firstIndex(after: slab.through)...]
        }
        return slabs
    }
}
