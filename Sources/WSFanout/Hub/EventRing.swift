import DequeModule

/// The newest events of the log without gaps: all events after `start` up to and including `end`.
///
/// Bounded by bytes and by count; the oldest events are evicted first.
struct EventRing {
    private(set) var events: Deque<EncodedEvent> = []
    private(set) var start: Int64
    private(set) var end: Int64
    private(set) var bytes = 0
    private let maxBytes: Int
    private let maxEvents: Int

    init(at position: Int64, maxBytes: Int, maxEvents: Int) {
        start = position
        end = position
        self.maxBytes = maxBytes
        self.maxEvents = maxEvents
    }

    /// `newer` must directly follow `end` in the log, in ascending order.
    mutating func append(_ newer: some Sequence<EncodedEvent>) {
        for event in newer {
            events.append(event)
            bytes += event.footprint
            end = event.seq
            while bytes > maxBytes || events.count > maxEvents, let oldest = events.popFirst() {
                bytes -= oldest.footprint
                start = oldest.seq
            }
        }
    }

    /// Empties the ring, because events between `end` and `position` never arrived here.
    mutating func restart(at position: Int64) {
        self = EventRing(at: position, maxBytes: maxBytes, maxEvents: maxEvents)
    }

    /// Replaces the content with the end of the log in the store: `newest` are all remaining events after the first
    /// one, up to `position`.
    mutating func restart(at position: Int64, holding newest: [EncodedEvent]) {
        restart(at: newest.first.map { $0.seq - 1 } ?? position)
        append(newest)
        end = position
    }

    /// The events after `cursor`, or `nil` if some of them have been evicted.
    func events(after cursor: Int64) -> Deque<EncodedEvent>.SubSequence? {
        guard cursor >= start else { return nil }
        return events[events.firstIndex(after: cursor)...]
    }
}

extension RandomAccessCollection<EncodedEvent> where Index == Int {
    /// The index of the first event with a seq above `cursor`, by bisection.
    func firstIndex(after cursor: Int64) -> Int {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = low + (high - low) / 2
            if self[middle].seq > cursor { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
