public import EventModel
public import Logging
import Synchronization
public import Workers

/// Puts events into the log: one thread, one connection, and as many events in a commit as have queued since the last.
/// Nothing is reported as accepted, or handed to `onCommit`, before its COMMIT has come back.
public final class EventWriter: Sendable {
    private struct Lifecycle {
        var thread: WorkerThread?
        var stopDeadline: Timestamp?
    }

    private let configuration: PersistenceConfiguration
    private let logger: Logger
    private let clock: @Sendable () -> Timestamp
    private let onHead: @Sendable (StreamPosition) -> Void
    private let onSent: @Sendable (CommittedBatch) -> Void
    private let onCommit: @Sendable (CommittedBatch) -> Void
    private let onAnswered: @Sendable () -> Void
    private let mailbox: Mailbox<WriterRequest>
    private let board: StatusBoard
    private let lifecycle = Mutex(Lifecycle())

    /// - Parameters:
    ///   - onHead: called on the writer's thread whenever it has connected, in order with `onCommit`: the log goes up
    /// to
    ///     there, also by events that this writer never knew to be committed. It must not block.
    ///   - onSent: called on the writer's thread while a commit is under way, for what can be prepared: it may fail
    ///     yet, or be tried again with other places. It must not block.
    ///   - onCommit: called on the writer's thread, once for each commit, in the order of `seq`, before the
    ///     completions of its events. It must not block.
    ///   - onAnswered: called behind the completions of all that shared a commit. It must not block.
    public init(
        configuration: PersistenceConfiguration,
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp,
        onHead: @escaping @Sendable (StreamPosition) -> Void = { _ in },
        onSent: @escaping @Sendable (CommittedBatch) -> Void = { _ in },
        onAnswered: @escaping @Sendable () -> Void = {},
        onCommit: @escaping @Sendable (CommittedBatch) -> Void
    ) {
        self.configuration = configuration
        self.logger = logger
        self.clock = clock
        self.onHead = onHead
        self.onSent = onSent
        self.onCommit = onCommit
        self.onAnswered = onAnswered
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
                onHead: onHead,
                onSent: onSent,
                onCommit: onCommit,
                onAnswered: onAnswered,
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
            onAnswered()
        }
    }
}

extension [MonitorEvent] {
    /// What events cost in the queue: their payloads, and about as much as the rest of them takes.
    fileprivate var storedBytes: Int {
        payloadBytes + indices.reduce(0) { $0 + self[$1].summary.utf8.count + 512 }
    }
}
