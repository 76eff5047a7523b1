public import EventModel
public import Logging
import Synchronization
public import Workers

/// Puts events into the log: one thread, one connection, and as many events in a commit as have queued since the last.
/// Nothing is reported as accepted, or told to observers as committed, before its COMMIT has come back.
public final class EventWriter: Sendable {
    private struct Lifecycle {
        var thread: WorkerThread?
        var stopDeadline: Timestamp?
    }

    private let configuration: PersistenceConfiguration
    private let logger: Logger
    private let clock: @Sendable () -> Timestamp
    private let observers: [any CommitObserver]
    private let mailbox: Mailbox<WriterRequest>
    private let board: StatusBoard
    private let lifecycle = Mutex(Lifecycle())

    public init(
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
        board = StatusBoard(now: clock())
    }

    /// Starts the thread, which connects by itself and goes on trying for as long as it runs. To be called once.
    public func start() throws(WorkerThreadError) {
        let thread = try WorkerThread(name: "event-writer") { [self] in
            let loop = WriterLoop(
                mailbox: mailbox,
                configuration: configuration,
                board: board,
                logger: logger,
                clock: clock,
                observers: observers,
                stopDeadline: { self.lifecycle.withLock { $0.stopDeadline } }
            )
            loop.run()
        }
        lifecycle.withLock { $0.thread = thread }
    }

    /// Any thread. False: too many bytes are waiting, or the writer has been stopped; nothing was kept and `completion`
    /// is not called. True: `completion` will be called once, on the writer's thread, with one outcome for each event,
    /// in order; it must not block. The events of one call share a commit unless one of the batch is refused.
    public func append(
        _ events: [MonitorEvent],
        completion: @escaping @Sendable ([AppendOutcome]) -> Void
    ) -> Bool {
        append([(events, completion)]) == 1
    }

    /// As `append` for each, in order, up to the first that is not taken; the writer is woken once. Returns how many
    /// were taken.
    public func append(
        _ requests: [(events: [MonitorEvent], completion: @Sendable ([AppendOutcome]) -> Void)]
    ) -> Int {
        mailbox.offer(
            requests.map { events, completion in
                (WriterRequest(events: events, completion: completion), events.storedBytes)
            }
        )
    }

    /// Any thread. It waits for something to commit: what is appended now is begun at once.
    public var isIdle: Bool { mailbox.isAwaited }

    /// Of the events that wait for their commit.
    public var queuedBytes: Int { mailbox.queuedBytes }

    /// As in `status`, for whoever asks with each request.
    public var isAvailable: Bool { board.isAvailable }

    public var status: WriterStatus {
        var status = board.snapshot
        status.queuedBytes = queuedBytes
        status.queuedRequests = mailbox.count
        return status
    }

    /// Takes nothing more in, commits what is queued for `stopSeconds` at most, answers the rest as unavailable, and
    /// returns when the thread has ended. A server that hangs can hold it up for as long as one answer may take.
    public func stop() {
        let deadline = clock().adding(seconds: configuration.stopSeconds)
        let thread = lifecycle.withLock { lifecycle in
            lifecycle.stopDeadline = deadline
            return lifecycle.thread
        }
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
    /// What events cost in the queue: their payloads, and about as much as the rest of them takes.
    fileprivate var storedBytes: Int {
        payloadBytes + indices.reduce(0) { $0 + self[$1].summary.utf8.count + 512 }
    }
}
