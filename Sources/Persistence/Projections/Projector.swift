import EventModel
import Logging
import Synchronization
import Workers

/// Runs one projection on a thread and a connection of its own. Of the servers of a database one moves a projection:
/// the one whose connection holds the lease, a session-level advisory lock that falls with the connection.
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
    ///   - clock: one that does not jump.
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

    /// To be called once. The thread connects by itself, and goes on trying.
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

    /// Any thread; never blocks.
    func committed(_ batch: CommittedBatch) { inbox.committed(batch) }

    /// Any thread; never blocks.
    func noticed(_ notice: LogNotice) { inbox.noticed(notice) }

    /// Has all events up to the place written at once, by this server or the one that leads. Returns when this one has
    /// written them, or when the time in seconds is up.
    func write(through seq: Int64, atMost seconds: Double) async {
        inbox.awaits(seq)
        await progress.wait(for: seq, atMost: seconds)
    }

    /// Blocks until what was committed before is written, if that works at once, and the lease is given up.
    func stop() {
        inbox.close()
        thread.withLock { $0 }?.join()
    }
}
