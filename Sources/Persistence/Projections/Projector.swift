import EventModel
import Logging
import Synchronization
import Workers

/// Runs one projection on its own thread and connection. One server of a database runs each projection: the server
/// whose connection holds the lease. The lease is a session-level advisory lock, which the server releases when the
/// connection closes.
final class Projector: Sendable {
    let name: String
    private let inbox: ProjectorInbox
    private let progress = ProjectionProgress()
    private let make: @Sendable () -> any Projection
    private let configuration: PersistenceConfiguration
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    private let thread = Mutex<WorkerThread?>(nil)

    /// - Parameters:
    ///   - clock: must be monotonic.
    ///   - keepsBatches: as `Projection.foldsEvents`.
    ///   - make: called on the thread.
    init(
        _ name: String,
        keepsBatches: Bool = true,
        configuration: PersistenceConfiguration,
        clock: @escaping @Sendable () -> Timestamp,
        logger: Logger,
        make: @escaping @Sendable () -> any Projection
    ) {
        self.name = name
        inbox = ProjectorInbox(keepsBatches: keepsBatches)
        self.configuration = configuration
        self.clock = clock
        self.logger = logger
        self.make = make
    }

    /// Call once. The thread connects by itself and retries.
    func start() throws(WorkerThreadError) {
        let worker = try WorkerThread(name: "project-\(name)") { [self] in
            let loop = ProjectorLoop(
                make(),
                configuration: configuration,
                inbox: inbox,
                progress: progress,
                clock: clock,
                logger: logger
            )
            loop.run()
        }
        thread.withLock { $0 = worker }
    }

    /// Whether events are to be passed to this projector, because it leads and folds them.
    var needsEvents: Bool { inbox.keepsBatches && progress.isLeading }

    /// Any thread; never blocks. A projector that does not lead reads the log when it begins to.
    func committed(_ batch: CommittedBatch) {
        if progress.isLeading { inbox.committed(batch) }
    }

    /// Any thread; never blocks. The log has events up to this position that are not passed on.
    func logReaches(_ seq: Int64) {
        if progress.isLeading { inbox.logReaches(seq) }
    }

    /// Any thread; never blocks.
    func noticed(_ notice: LogNotice) { inbox.noticed(notice) }

    /// Requests that all events up to the position be written at once, by this server or the leader. Returns when
    /// this server has written them, or after the timeout in seconds.
    func write(through seq: Int64, atMost seconds: Double) async {
        inbox.awaits(seq)
        await progress.wait(for: seq, atMost: seconds)
    }

    /// Makes the projector write the committed events, if that succeeds at the first attempt, release its lease, and
    /// end.
    func close() { inbox.close() }

    /// Blocks until the projector has ended. Call it after `close`.
    func join() { thread.withLock { $0 }?.join() }
}
