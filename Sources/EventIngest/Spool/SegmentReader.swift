internal import EventModel

/// Takes events out of one segment, from any record on.
struct SegmentReader: ~Copyable {
    struct Batch {
        var events: [MonitorEvent] = []
        /// Of each event's record.
        var recordBytes: [Int] = []
        /// Reading ended at a record that does not count or cannot be understood.
        var isDamaged = false
    }

    private let file: SpoolFile

    init(_ path: String) throws(SpoolError) {
        file = try SpoolFile(reading: path)
    }

    /// At least one event, if there is a sound one before `end`; more up to both limits.
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
                // More of it is in the file than was read.
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
