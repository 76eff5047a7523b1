public import EventModel
package import Logging
public import Workers

/// The projectors of a server, one for each projection, so that a slow one does not delay the others.
public final class Projectors: CommitObserver {
    private let projectors: [Projector]
    private let sessions: Projector
    private let listener: LogListener
    /// Must be monotonic.
    let clock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - clock: must be monotonic.
    ///   - more: projections of other modules, by name. Each reads the log itself. `make` is called on the projector's
    ///     thread.
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

    /// Call once. Each projector connects by itself and retries.
    public func start() throws(WorkerThreadError) {
        for projector in projectors { try projector.start() }
        try listener.start()
    }

    public func committed(_ batch: CommittedBatch) {
        for projector in projectors { projector.committed(batch) }
    }

    /// Requests that the session rows up to the position be written. Returns when this server has written them or
    /// after the timeout in seconds; another server may have written them in that case.
    public func writeSessions(through seq: Int64, atMost seconds: Double) async {
        await sessions.write(through: seq, atMost: seconds)
    }

    /// Call after the writer has stopped. Writes the committed events if that succeeds at the first attempt.
    public func stop() {
        listener.stop()
        for projector in projectors { projector.stop() }
    }
}
