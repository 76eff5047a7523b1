/// The segment that grows. After an error that leaves doubt about what is on disk it is not written to again.
final class SegmentWriter {
    enum Failure: Error {
        /// Nothing is left of what was to be written; the segment goes on.
        case undone(SpoolError)
        /// The segment ends where it last was durable.
        case abandoned(SpoolError)
    }

    let number: Int
    /// Where the durable part ends; 0 until the first write.
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

    /// Durable when it returns: all of it or nothing.
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
            // So that the next start finds no doubtful records; if it does not work, it finds them as damage.
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
