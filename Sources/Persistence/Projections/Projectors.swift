public import EventModel
package import Logging
public import Workers

/// The projectors of a server: one for each projection, so that a slow one holds up no other.
public final class Projectors: CommitObserver {
    private let projectors: [Projector]
    private let sessions: Projector
    private let listener: LogListener
    /// One that does not jump.
    let clock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - clock: one that does not jump.
    ///   - more: projections of other modules, by name. Each reads the log itself; `make` is called on its thread.
    package init(
        configuration: PersistenceConfiguration,
        clock: @escaping @Sendable () -> Timestamp,
        logger: Logger,
        and more: [(name: String, make: @Sendable () -> any Projection)] = []
    ) {
        let sessions = Projector(
            SessionProjection.name,
            configuration: configuration,
            clock: clock,
            logger: logger,
            make: { SessionProjection(logger: logger) }
        )
        let counts = Projector(
            EventCountProjection.name,
            configuration: configuration,
            clock: clock,
            logger: logger,
            make: { EventCountProjection() }
        )
        let others = more.map { name, make in
            Projector(
                name,
                keepsBatches: false,
                configuration: configuration,
                clock: clock,
                logger: logger,
                make: make
            )
        }
        let projectors = [sessions, counts] + others
        self.sessions = sessions
        self.clock = clock
        self.projectors = projectors
        listener = LogListener(configuration: configuration) { notice in
            for projector in projectors where projector.name == notice.projection { projector.noticed(notice) }
        }
    }

    /// To be called once. Each connects by itself, and goes on trying.
    public func start() throws(WorkerThreadError) {
        for projector in projectors { try projector.start() }
        try listener.start()
    }

    public func committed(_ batch: CommittedBatch) {
        for projector in projectors { projector.committed(batch) }
    }

    /// Has the rows of sessions written up to the place. Returns when this server has done so, or when the time in
    /// seconds is up: another server may have done it.
    public func writeSessions(through seq: Int64, atMost seconds: Double) async {
        await sessions.write(through: seq, atMost: seconds)
    }

    /// To be called when the writer has stopped: what it has committed is written, if that works at once.
    public func stop() {
        listener.stop()
        for projector in projectors { projector.stop() }
    }
}
