package import EventModel
package import Logging
package import Persistence
internal import Synchronization
internal import Workers

/// Stores events on disk while the database is unavailable, and replays them in order of arrival when it is back.
///
/// One thread does all I/O. It writes everything that queued during the previous write with one fdatasync, then
/// answers each request. During a replay it writes at most half as much as it replays, so that the backlog shrinks
/// under any load. A segment is removed when all its events are committed. After a restart a partly replayed segment
/// is replayed from its beginning; the event ids make the repetition harmless.
package final class EventSpool: Sendable {
    /// Receives replayed events. Returns false if it cannot take them now; the completion is then not called.
    /// Otherwise returns true and calls the completion once, on any thread, with one outcome for each event, in
    /// order. The sink is called on the spool's thread, with one batch in progress at a time, and must not block.
    package typealias Sink =
        @Sendable ([MonitorEvent], @escaping @Sendable ([AppendOutcome]) -> Void) -> Bool

    private let configuration: SpoolConfiguration
    private let logger: Logger
    private let clock: @Sendable () -> Timestamp
    private let mailbox: Mailbox<SpoolCommand>
    private let answers = Mailbox<[AppendOutcome]>(byteLimit: 0)
    private let shared: SharedSpoolState
    private let thread = Mutex<WorkerThread?>(nil)

    package init(configuration: SpoolConfiguration, logger: Logger, clock: @escaping @Sendable () -> Timestamp) {
        self.configuration = configuration
        self.logger = logger
        self.clock = clock
        mailbox = Mailbox(byteLimit: configuration.queueBytes)
        shared = SharedSpoolState(byteLimit: configuration.byteLimit)
    }

    /// Opens the directory, reads all of it (a gigabyte takes seconds) and starts the thread. Call once.
    package func start(replayInto sink: @escaping Sink) throws {
        let directory = try SpoolDirectory(path: configuration.directory, faults: configuration.faults)
        let recovery = try SpoolRecovery(directory, logger: logger)
        shared.update { state in
            state.gate.open(events: recovery.events, bytes: recovery.recordBytes, fileBytes: recovery.fileBytes)
            state.counts.damagedSegments = Int64(recovery.damagedSegments)
            state.counts.rejectedBytes = Int64(recovery.rejectedBytes)
            state.oldestWaiting = recovery.oldestWaiting
        }
        if recovery.events > 0 {
            logger.notice("the spool has events to replay", metadata: ["events": "\(recovery.events)"])
        }
        let worker = try WorkerThread(name: "event-spool") { [mailbox, answers, configuration, shared, logger, clock] in
            SpoolLoop(
                mailbox: mailbox,
                answers: answers,
                configuration: configuration,
                shared: shared,
                logger: logger,
                clock: clock,
                directory: directory,
                recovery: recovery,
                sink: sink
            ).run()
        }
        thread.withLock { $0 = worker }
    }

    /// Decides where a post goes now.
    package func decision(isWriterAvailable: Bool) -> SpoolGate.Decision {
        let now = clock()
        return shared.update { $0.gate.decision(isWriterAvailable: isWriterAvailable, now: now) }
    }

    /// Any thread. Returns false if the queue or the spool is full, the disk has failed, or the spool is not running:
    /// nothing is kept and `completion` is not called. Otherwise returns true and calls `completion` once, on the
    /// spool's thread; it must not block. The events of one call are kept together or not at all.
    package func append(_ events: [MonitorEvent], completion: @escaping @Sendable (SpoolOutcome) -> Void) -> Bool {
        let request = SpoolRequest(events, completion)
        let now = clock()
        let isAdmitted = shared.update { state in
            if state.gate.waitingEvents == 0 { state.oldestWaiting = events.first?.receivedAt }
            return state.gate.admit(events: request.payloads.count, bytes: request.recordBytes, now: now)
        }
        guard isAdmitted else { return false }
        if mailbox.offer(.append(request), bytes: request.recordBytes) { return true }
        shared.update { $0.gate.withdraw(events: request.payloads.count, bytes: request.recordBytes) }
        return false
    }

    package var status: SpoolStatus { shared.status }

    /// Removes events from the file of those that the database rejected. Returns false if that failed.
    package func erase(_ subject: SpoolErasure) async -> Bool {
        await withCheckedContinuation { continuation in
            let isTaken = mailbox.offer(.erase(subject) { continuation.resume(returning: $0) }, bytes: 0)
            if !isTaken { continuation.resume(returning: false) }
        }
    }

    /// Refuses new events, writes the queued ones, and returns when the thread has ended. Does not wait for the
    /// answer to a batch in replay: the batch is replayed again after the next start.
    package func stop() {
        shared.update { $0.gate.close() }
        mailbox.close()
        answers.close()
        thread.withLock { $0 }?.join()
    }
}

enum SpoolCommand: Sendable {
    case append(SpoolRequest)
    /// Calls the completion with false if the file of rejected events cannot be changed.
    case erase(SpoolErasure, @Sendable (Bool) -> Void)
    /// The sink has answered.
    case wake
}

/// One call of `EventSpool.append`, waiting for its write.
struct SpoolRequest: Sendable {
    let payloads: [[UInt8]]
    let recordBytes: Int
    let completion: @Sendable (SpoolOutcome) -> Void

    init(_ events: [MonitorEvent], _ completion: @escaping @Sendable (SpoolOutcome) -> Void) {
        payloads = events.map(EventCodec.encode)
        recordBytes = payloads.reduce(0) { $0 + $1.count + SegmentFormat.recordHeaderBytes }
        self.completion = completion
    }
}
