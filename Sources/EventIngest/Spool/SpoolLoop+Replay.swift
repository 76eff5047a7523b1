internal import EventModel
internal import Logging
internal import Persistence
internal import Workers

/// The events read ahead of the sink's answer, and the limit on writes meanwhile.
struct ReplayState {
    var batch: SegmentReader.Batch?
    var isUnderWay = false
    /// No replay before this time, after the sink failed to commit.
    var notBefore: Timestamp?
    /// Failed attempts to read the current position.
    var readFailures = 0
    /// Bytes that may be written before the next answer. `nil` means no limit, which applies while the sink takes
    /// nothing.
    private(set) var intakeBytes: Int?

    /// The sink committed the last batch, and more events wait.
    var isDraining: Bool { intakeBytes != nil }
    var intakeIsSpent: Bool { intakeBytes.map { $0 <= 0 } ?? false }

    private var passes = 0

    mutating func committed(bytes: Int) {
        intakeBytes = bytes / 2
        passes = 0
    }

    /// Counts a round of requests that went directly to the database. The number is limited, in case the database has
    /// failed meanwhile.
    mutating func passedOn() {
        passes += 1
        if passes > 100 { stopDraining() }
    }

    mutating func spend(_ bytes: Int) { intakeBytes? -= bytes }
    mutating func stopDraining() { intakeBytes = nil }
}

/// Replays events from the disk.
extension SpoolLoop {
    /// Number of failed reads after which a position counts as damaged.
    private static let readAttempts = 10

    func replayNext() {
        _ = takeAnswer(within: 0)
        while replay.batch == nil, let segment = backlog.segments.first {
            if backlog.hasUnread {
                guard load(segment) else { return }
            } else {
                guard mayRetire(segment) else { return }
                retire(segment)
            }
        }
        offer()
    }

    private func offer() {
        guard let batch = replay.batch, !replay.isUnderWay, isDue else { return }
        replay.isUnderWay = true
        let isTaken = sink(batch.events) { [answers, mailbox] outcomes in
            _ = answers.offer(outcomes, bytes: 0)
            // The wake-up is refused only if the thread will run anyway: the mailbox is full or the spool is
            // stopping.
            _ = mailbox.offer(.wake, bytes: 0)
        }
        if !isTaken {
            replay.isUnderWay = false
            replay.stopDraining()
        }
    }

    private var isDue: Bool {
        guard let notBefore = replay.notBefore else { return true }
        let wait = notBefore.seconds(since: clock())
        // Setting the clock back does not extend the pause.
        return !(0.001...Double(configuration.retryMilliseconds) / 1000).contains(wait)
    }

    /// Returns false if there is no answer.
    func takeAnswer(within milliseconds: Int) -> Bool {
        guard replay.isUnderWay, let batch = replay.batch,
            case .elements(let taken) = answers.takeAll(maxElements: 1, timeoutMilliseconds: milliseconds),
            let answer = taken.first
        else { return false }
        replay.isUnderWay = false
        let settled = zip(batch.events, answer).prefix { !$0.1.isUnavailable }
        let rejected = settled.compactMap { event, outcome -> (event: MonitorEvent, reason: String)? in
            if case .rejected(let error) = outcome { (event, error.description) } else { nil }
        }
        keep(rejected)
        settle(events: settled.count, rejected: rejected.count)
        return true
    }

    private func settle(events: Int, rejected: Int) {
        guard var batch = replay.batch else { return }
        let bytes = batch.recordBytes.prefix(events).reduce(0, +)
        backlog.consume(events: events, bytes: bytes)
        batch.events.removeFirst(events)
        batch.recordBytes.removeFirst(events)
        replay.batch = batch.events.isEmpty ? nil : batch
        replay.notBefore =
            batch.events.isEmpty
            ? nil : clock().adding(seconds: Double(configuration.retryMilliseconds) / 1000)
        let oldest = batch.events.first?.receivedAt
        let isEmpty = shared.update { state in
            state.gate.settled(events: events, bytes: bytes)
            state.counts.replayed += Int64(events - rejected)
            state.counts.rejected += Int64(rejected)
            if let oldest { state.oldestWaiting = oldest }
            return state.gate.waitingEvents == 0
        }
        if isEmpty || !batch.events.isEmpty { replay.stopDraining() } else { replay.committed(bytes: bytes) }
    }

    private func keep(_ rejected: [(event: MonitorEvent, reason: String)]) {
        guard !rejected.isEmpty else { return }
        for (event, reason) in rejected {
            logger.error(
                "the database refused a spooled event",
                metadata: ["event_id": "\(event.id)", "machine": "\(event.machineName)", "error": "\(reason)"]
            )
        }
        do throws(SpoolError) {
            switch try rejectedEvents.keep(rejected) {
            case .kept(let bytes):
                sideFileBytes += bytes
                shared.update { state in
                    state.gate.addedFile(bytes: bytes)
                    state.counts.rejectedBytes += Int64(bytes)
                }
            case .full:
                logger.error("the file of rejected events is full", metadata: ["lost": "\(rejected.count)"])
            }
        } catch {
            logger.error("rejected events were lost", metadata: ["error": "\(error)", "lost": "\(rejected.count)"])
        }
    }

    /// Returns false if the segment cannot be read now.
    private func load(_ segment: SegmentQueue.Segment) -> Bool {
        let batch: SegmentReader.Batch
        do throws(SpoolError) {
            batch = try SegmentReader(directory.segmentPath(segment.number)).read(
                from: backlog.offset,
                to: segment.end,
                sequence: backlog.nextSequence,
                maxEvents: configuration.batchEvents,
                maxBytes: configuration.batchBytes
            )
            replay.readFailures = 0
        } catch {
            replay.readFailures += 1
            logger.error("the spool cannot be read", metadata: ["error": "\(error)"])
            guard replay.readFailures >= SpoolLoop.readAttempts else { return false }
            replay.readFailures = 0
            batch = SegmentReader.Batch(isDamaged: true)
        }
        guard let oldest = batch.events.first else {
            declareDamaged(segment)
            return true
        }
        shared.update { $0.oldestWaiting = oldest.receivedAt }
        replay.batch = batch
        return true
    }

    private func declareDamaged(_ segment: SegmentQueue.Segment) {
        if writer?.number == segment.number { writer = nil }
        let lost = backlog.markDamaged()
        let isEmpty = shared.update { state in
            state.gate.settled(events: lost.events, bytes: lost.bytes)
            return state.gate.waitingEvents == 0
        }
        if isEmpty { replay.stopDraining() }
        logger.error(
            "a segment of the spool is damaged",
            metadata: ["segment": "\(segment.number)", "lost": "\(lost.events)"]
        )
    }

    /// The current segment can also be removed once no event waits. The next event starts a new segment.
    private func mayRetire(_ segment: SegmentQueue.Segment) -> Bool {
        guard writer?.number == segment.number else { return true }
        guard shared.update({ $0.gate.waitingEvents == 0 }) else { return false }
        writer = nil
        return true
    }

    /// A file that cannot be removed still counts, and is replayed again after the next start.
    private func retire(_ segment: SegmentQueue.Segment) {
        backlog.removeFirst()
        do throws(SpoolError) {
            if segment.isDamaged {
                try directory.setAside(segment.number)
                sideFileBytes += segment.fileBytes
                shared.update { $0.counts.damagedSegments += 1 }
            } else {
                try directory.remove(segment.number)
                shared.update { $0.gate.removedFile(bytes: segment.fileBytes) }
            }
        } catch {
            logger.error("a segment of the spool cannot be removed", metadata: ["error": "\(error)"])
        }
    }
}
