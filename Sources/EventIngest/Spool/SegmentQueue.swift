/// The segments and their replay progress. Does no I/O.
struct SegmentQueue {
    struct Segment: Equatable {
        var number: Int
        var firstSequence: UInt64
        /// The end of the valid part.
        var end: Int
        var events: Int
        /// The file is kept as evidence after its valid part is replayed.
        var isDamaged = false
        var fileBytes: Int
    }

    /// Oldest first.
    private(set) var segments: [Segment] = []
    /// Read position in the first segment.
    private(set) var offset = SegmentFormat.headerBytes
    private(set) var consumed = 0

    var nextSequence: UInt64 { segments.first.map { $0.firstSequence &+ UInt64(consumed) } ?? 0 }

    /// The first segment has events that have not been read.
    var hasUnread: Bool { segments.first.map { consumed < $0.events } ?? false }

    mutating func add(_ segment: Segment) {
        segments.append(segment)
    }

    /// The newest segment has grown.
    mutating func grow(to end: Int, events: Int) {
        guard let last = segments.indices.last else { return }
        segments[last].end = end
        segments[last].events = events
        segments[last].fileBytes = end
    }

    mutating func consume(events: Int, bytes: Int) {
        consumed += events
        offset += bytes
    }

    /// Marks everything after the read position in the first segment as invalid. Returns what is lost.
    mutating func markDamaged() -> (events: Int, bytes: Int) {
        guard let first = segments.first else { return (0, 0) }
        let lost = (first.events - consumed, max(0, first.end - offset))
        segments[0].isDamaged = true
        segments[0].events = consumed
        segments[0].end = offset
        return lost
    }

    mutating func removeFirst() {
        guard !segments.isEmpty else { return }
        segments.removeFirst()
        offset = SegmentFormat.headerBytes
        consumed = 0
    }
}
