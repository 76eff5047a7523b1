import EventModel

/// Puts the commits of this server and the events of other servers into the order of the log. Decides what can be
/// passed on, and what must be read first.
struct LogSequence {
    enum Step: Equatable {
        case events(CommittedBatch)
        /// The events up to this position are not passed on.
        case skip(StreamPosition)
    }

    /// Parts of the log to read.
    struct Request: Equatable {
        var ranges: [ClosedRange<Int64>]
        fileprivate var generation: Int
    }

    /// Positions that may wait for the events before them, and bytes of their payloads. Beyond these bounds the
    /// sequence skips to the end of the log.
    static let mostEvents: Int64 = 10_000
    static let mostBytes = 16 << 20
    static let mostRanges = 32

    private struct Piece {
        var range: ClosedRange<Int64>
        var events: [CommittedEvent]
    }

    /// Everything up to here was passed on or skipped; `nil` before the first position is known.
    private(set) var position: StreamPosition?
    /// In order, and beyond `position`.
    private var waiting: [Piece] = []
    private var waitingBytes = 0
    /// The last known position of the log.
    private var end: Int64 = 0
    private var skipsTo: Int64?
    /// Changes when what is being read is no longer wanted.
    private var generation = 0

    /// Whether this batch can be passed on at once if it is committed at these positions.
    func isNext(_ batch: CommittedBatch) -> Bool {
        guard let position, let first = batch.events.first, waiting.isEmpty, skipsTo == nil else { return false }
        return batch.epoch == position.epoch && first.seq == position.seq + 1
    }

    /// This server has committed.
    mutating func committed(_ batch: CommittedBatch) {
        guard let first = batch.events.first, let last = batch.events.last else { return }
        if batch.epoch != position?.epoch { restart(StreamPosition(epoch: batch.epoch, seq: first.seq - 1)) }
        insert(Piece(range: first.seq...last.seq, events: batch.events))
        end = max(end, last.seq)
        keepBounds()
    }

    /// The log ends at this position, or later.
    mutating func reaches(_ place: StreamPosition) {
        if place.epoch != position?.epoch {
            restart(StreamPosition(epoch: place.epoch, seq: -1))
            skipsTo = place.seq
        }
        end = max(end, place.seq)
        keepBounds()
    }

    /// What is to be passed on now, or `nil` if nothing is, or if it must be read first.
    ///
    /// - Parameter isReading: whether missing events are read. Otherwise they are skipped.
    mutating func next(isReading: Bool) -> Step? {
        guard let place = position else { return nil }
        if let target = skipsTo {
            skipsTo = nil
            if target > place.seq { return skip(to: target) }
        }
        var events: [CommittedEvent] = []
        var through = place.seq
        while let piece = waiting.first, piece.range.lowerBound <= through + 1 {
            removeFirst()
            let fresh = piece.range.lowerBound > through ? piece.events : piece.events.filter { $0.seq > through }
            if events.isEmpty { events = fresh } else { events += fresh }
            through = max(through, piece.range.upperBound)
        }
        if !events.isEmpty {
            position?.seq = through
            return .events(CommittedBatch(epoch: place.epoch, events: events))
        }
        let target = isReading ? through : waiting.first.map { $0.range.lowerBound - 1 } ?? end
        return target > place.seq ? skip(to: target) : nil
    }

    /// The events that are missing, or `nil` if none is.
    var missing: Request? {
        guard let position, skipsTo == nil else { return nil }
        var ranges: [ClosedRange<Int64>] = []
        var from = position.seq + 1
        for piece in waiting {
            if piece.range.lowerBound > from { ranges.append(from...piece.range.lowerBound - 1) }
            from = max(from, piece.range.upperBound + 1)
        }
        if end >= from { ranges.append(from...end) }
        guard !ranges.isEmpty else { return nil }
        return Request(ranges: Array(ranges.prefix(LogSequence.mostRanges)), generation: generation)
    }

    /// Takes the result for a range of a request: the events up to `through`.
    mutating func read(_ events: [CommittedEvent], from first: Int64, through: Int64, for request: Request) {
        guard request.generation == generation, first <= through else { return }
        insert(Piece(range: first...through, events: events))
        keepBounds()
    }

    /// The log could not be read. What is missing is skipped, so that this server's own commits go on.
    mutating func readFailed(_ request: Request) {
        guard request.generation == generation else { return }
        skipsTo = request.ranges.last?.upperBound
    }

    /// Events were erased, so that those in memory must not be passed on.
    mutating func forget() {
        guard position != nil else { return }
        drop()
    }

    private mutating func skip(to seq: Int64) -> Step? {
        position?.seq = seq
        while let piece = waiting.first, piece.range.upperBound <= seq { removeFirst() }
        return position.map { .skip($0) }
    }

    private mutating func restart(_ place: StreamPosition) {
        drop()
        (position, end, skipsTo) = (place, place.seq, nil)
    }

    private mutating func keepBounds() {
        guard let position, end - position.seq > LogSequence.mostEvents || waitingBytes > LogSequence.mostBytes else {
            return
        }
        drop()
    }

    private mutating func drop() {
        (waiting, waitingBytes, skipsTo) = ([], 0, end)
        generation += 1
    }

    private mutating func insert(_ piece: Piece) {
        let index = waiting.lastIndex { $0.range.lowerBound <= piece.range.lowerBound }.map { $0 + 1 } ?? 0
        waiting.insert(piece, at: index)
        waitingBytes += piece.events.payloadBytes
    }

    private mutating func removeFirst() {
        waitingBytes -= waiting.removeFirst().events.payloadBytes
    }
}

extension [CommittedEvent] {
    fileprivate var payloadBytes: Int { indices.reduce(0) { $0 + self[$1].event.payload.count } }
}
