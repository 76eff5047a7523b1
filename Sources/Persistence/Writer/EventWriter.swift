package import EventModel
package import Logging
import Synchronization
package import Workers

/// Appends events to the log, with one thread and one connection. Each commit takes the events that were queued
/// during the previous one. No event is reported as accepted, or to observers as committed, before its COMMIT
/// returns.
package final class EventWriter: Sendable {
    private struct Lifecycle {
        var thread: WorkerThread?
        var stopDeadline: Timestamp?
    }

    private let configuration: PersistenceConfiguration
    private let logger: Logger
    private let clock: @Sendable () -> Timestamp
    private let observers: [any CommitObserver]
    private let mailbox: Mailbox<WriterRequest>
    private let sharedStatus: SharedWriterStatus
    private let lifecycle = Mutex(Lifecycle())

    package init(
        configuration: PersistenceConfiguration,
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp,
        observers: [any CommitObserver]
    ) {
        self.configuration = configuration
        self.logger = logger
        self.clock = clock
        self.observers = observers
        mailbox = Mailbox(byteLimit: configuration.writerQueueBytes)
        sharedStatus = SharedWriterStatus(now: clock())
    }

    /// Starts the thread, which connects by itself and retries until it is stopped. Call once.
    package func start() throws(WorkerThreadError) {
        let thread = try WorkerThread(name: "event-writer") { [self] in
            let loop = WriterLoop(
                mailbox: mailbox,
                configuration: configuration,
                sharedStatus: sharedStatus,
                logger: logger,
                clock: clock,
                observers: observers,
                stopDeadline: { self.lifecycle.withLock { $0.stopDeadline } }
            )
            loop.run()
        }
        lifecycle.withLock { $0.thread = thread }
    }

    /// Any thread. Returns false if too many bytes are queued or the writer has been stopped: nothing is kept and
    /// `completion` is not called. Otherwise returns true and calls `completion` once, on the writer's thread, with
    /// one outcome for each event, in order; it must not block. The events of one call share a commit unless the
    /// database rejects an event of the batch.
    package func append(
        _ events: [MonitorEvent],
        completion: @escaping @Sendable ([AppendOutcome]) -> Void
    ) -> Bool {
        append([(events, completion)]) == 1
    }

    /// Appends each request in order, until one is refused. Wakes the writer once. Returns the number of
    /// accepted requests.
    package func append(
        _ requests: [(events: [MonitorEvent], completion: @Sendable ([AppendOutcome]) -> Void)]
    ) -> Int {
        mailbox.offer(
            requests.map { events, completion in
                (WriterRequest(events: events, completion: completion), events.storedBytes)
            }
        )
    }

    /// Any thread. Whether the writer has nothing to commit. An event appended now is then committed at once.
    package var isIdle: Bool { mailbox.isAwaited }

    /// Bytes of the events that wait for their commit.
    package var queuedBytes: Int { mailbox.queuedBytes }

    /// The same value as in `status`, but cheap enough for each request.
    package var isAvailable: Bool { sharedStatus.isAvailable }

    package var status: WriterStatus {
        var status = sharedStatus.snapshot
        status.queuedBytes = queuedBytes
        status.queuedRequests = mailbox.count
        return status
    }

    /// Commits for at most `stopSeconds` from now on. Call it before stopping what waits for commits, and then `stop`.
    package func prepareStop() {
        let deadline = clock().adding(seconds: configuration.stopSeconds)
        lifecycle.withLock { $0.stopDeadline = $0.stopDeadline ?? deadline }
    }

    /// Refuses new events, commits queued ones for at most `stopSeconds` after `prepareStop` or from now on, answers
    /// the rest as unavailable, and returns when the thread has ended. A server that hangs while the writer connects
    /// can delay it by the timeout of one answer.
    package func stop() {
        prepareStop()
        let thread = lifecycle.withLock { $0.thread }
        mailbox.close()
        if let thread { return thread.join() }
        while case .elements(let requests) = mailbox.takeAll(timeoutMilliseconds: 0) {
            for request in requests {
                request.refuse(retryAfter: 1)
            }
            for observer in observers { observer.answered() }
        }
    }
}

extension [MonitorEvent] {
    /// The bytes that events take in the queue: their payloads, and about as much again for their other fields.
    fileprivate var storedBytes: Int {
        payloadBytes + indices.reduce(0) { $0 + self[$1].summary.utf8.count + 512 }
    }
}
