internal import EventModel

/// Reads events from one segment, starting at any record.
struct SegmentReader: ~Copyable {
    struct Batch {
        var events: [MonitorEvent] = []
        /// The record size of each event.
        var recordBytes: [Int] = []
        /// Reading stopped at a record that is invalid or cannot be decoded.
        var isDamaged = false
    }

    private let file: SpoolFile

    init(_ path: String) throws(SpoolError) {
        file = try SpoolFile(reading: path)
    }

    /// Returns at least one event if a valid one precedes `end`, and more up to both limits.
    func read(
        from start: Int,
        to end: Int,
        sequence: UInt64,
        maxEvents: Int,
        maxBytes: Int
    ) throws(SpoolError) -> Batch {
        var batch = Batch()
        var window = try file.read(at: start, limit: min(maxBytes, end - start))[...]
        while batch.events.count < maxEvents {
            let place = start + batch.recordBytes.reduce(0, +)
            guard place < end else { break }
            switch SegmentFormat.readRecord(window, sequence: sequence &+ UInt64(batch.events.count)) {
            case .sound(let payload):
                guard let event = EventCodec.decode(payload) else {
                    batch.isDamaged = true
                    return batch
                }
                batch.events.append(event)
                batch.recordBytes.append(payload.endIndex - window.startIndex)
                window = window[payload.endIndex...]
            case .incomplete(let bytes) where place + bytes <= end:
                // The file holds more of the record than was read.
                guard batch.events.isEmpty, window.count < bytes else { return batch }
                window = try file.read(at: place, limit: bytes)[...]
                guard window.count == bytes else {
                    batch.isDamaged = true
                    return batch
                }
            case .incomplete, .damaged:
                batch.isDamaged = true
                return batch
            }
        }
        return batch
    }
}
