internal import Logging

/// Writes events to the disk.
extension SpoolLoop {
    /// Writes all requests with one write and one fdatasync, then answers each.
    func write(_ requests: [SpoolRequest]) {
        let payloads = requests.flatMap(\.payloads)
        let bytes = requests.reduce(0) { $0 + $1.recordBytes }
        let outcome: SpoolOutcome
        do throws(SpoolError) {
            try append(payloads, bytes: bytes)
            shared.update { state in
                state.gate.wrote(events: payloads.count, bytes: bytes)
                state.counts.spooled += Int64(payloads.count)
            }
            outcome = .durable
        } catch {
            let now = clock()
            shared.update { $0.gate.failed(events: payloads.count, bytes: bytes, error, at: now) }
            logger.error("events could not be spooled", metadata: ["error": "\(error)", "events": "\(payloads.count)"])
            outcome = .failed(error)
        }
        for request in requests { request.completion(outcome) }
    }

    private func append(_ payloads: [[UInt8]], bytes: Int) throws(SpoolError) {
        let segment = try segment(withRoomFor: bytes)
        do throws(SegmentWriter.Failure) {
            try segment.append(payloads)
        } catch {
            switch error {
            case .undone(let error):
                discardIfEmpty(segment)
                throw error
            case .abandoned(let error):
                writer = nil
                discardIfEmpty(segment)
                throw error
            }
        }
        nextSequence = segment.nextSequence
        if segment.events == payloads.count {
            shared.update { $0.gate.addedFile(bytes: SegmentFormat.headerBytes) }
            backlog.add(
                SegmentQueue.Segment(
                    number: segment.number,
                    firstSequence: segment.nextSequence - UInt64(segment.events),
                    end: segment.end,
                    events: segment.events,
                    fileBytes: segment.end
                )
            )
        } else {
            backlog.grow(to: segment.end, events: segment.events)
        }
    }

    /// The current segment, or a new one if the current one is too full.
    private func segment(withRoomFor bytes: Int) throws(SpoolError) -> SegmentWriter {
        if let writer, writer.end + bytes <= configuration.segmentBytes { return writer }
        let segment = try SegmentWriter(number: nextNumber, firstSequence: nextSequence, in: directory)
        nextNumber += 1
        writer = segment
        return segment
    }

    private func discardIfEmpty(_ segment: SegmentWriter) {
        guard segment.events == 0 else { return }
        writer = nil
        try? directory.remove(segment.number)
    }
}
