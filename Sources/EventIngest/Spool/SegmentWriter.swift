/// The segment that is being written. After an error that leaves its content on disk uncertain, it is not written
/// again.
final class SegmentWriter {
    enum Failure: Error {
        /// The write was undone completely. The segment can be written again.
        case undone(SpoolError)
        /// The segment ends at its last durable position.
        case abandoned(SpoolError)
    }

    let number: Int
    /// The end of the durable part; 0 before the first write.
    private(set) var end = 0
    private(set) var events = 0
    private(set) var nextSequence: UInt64
    private let firstSequence: UInt64
    private let file: SpoolFile
    private let directory: SpoolDirectory

    init(number: Int, firstSequence: UInt64, in directory: SpoolDirectory) throws(SpoolError) {
        self.number = number
        self.firstSequence = firstSequence
        self.directory = directory
        nextSequence = firstSequence
        file = try SpoolFile(creating: directory.segmentPath(number), faults: directory.faults)
    }

    /// Writes all bytes or none. They are durable when the function returns.
    func append(_ payloads: [[UInt8]]) throws(Failure) {
        var bytes = end == 0 ? SegmentFormat.header(firstSequence: firstSequence) : []
        bytes.reserveCapacity(payloads.reduce(bytes.count) { $0 + $1.count + SegmentFormat.recordHeaderBytes })
        var sequence = nextSequence
        for payload in payloads {
            bytes += SegmentFormat.record(payload, sequence: sequence)
            sequence &+= 1
        }
        try write(bytes)
        do throws(SpoolError) {
            try file.sync()
            if end == 0 { try directory.sync() }
        } catch {
            // Prevents the next start from finding uncertain records. If this fails, it finds them as damage.
            try? file.truncate(to: end)
            throw .abandoned(error)
        }
        end += bytes.count
        events += payloads.count
        nextSequence = sequence
    }

    private func write(_ bytes: [UInt8]) throws(Failure) {
        do throws(SpoolError) {
            try file.write(bytes, at: end)
        } catch {
            do throws(SpoolError) {
                try file.truncate(to: end)
            } catch let second {
                throw .abandoned(second)
            }
            throw .undone(error)
        }
    }
}
