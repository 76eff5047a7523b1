package import EventModel
package import Logging
package import Workers

/// The projectors of a server, one for each projection, so that a slow one does not delay the others.
package final class Projectors: LogObserver {
    private let projectors: [Projector]
    private let observers: [any ProjectionObserver]
    /// Must be monotonic.
    let clock: @Sendable () -> Timestamp

    /// - Parameters:
    ///   - clock: must be monotonic.
    ///   - more: projections of other modules.
    package init(
        configuration: PersistenceConfiguration,
        clock: @escaping @Sendable () -> Timestamp,
        logger: Logger,
        and more: [ProjectionSource] = [],
        observers: [any ProjectionObserver] = []
    ) {
        let sessions = Projector(
            SessionProjection.name,
            configuration: configuration,
            clock: clock,
            logger: logger,
            make: { SessionProjection(logger: logger, observers: observers) }
        )
        let counts = Projector(
            EventCountProjection.name,
            configuration: configuration,
            clock: clock,
            logger: logger,
            make: { EventCountProjection() }
        )
        let others = more.map { source in
            Projector(
                source.name,
                keepsBatches: source.foldsEvents,
                configuration: configuration,
                clock: clock,
                logger: logger,
                make: { source.make() }
            )
        }
        self.clock = clock
        self.observers = observers
        projectors = [sessions, counts] + others
    }

    /// Call once. Each projector connects by itself and retries.
    package func start() throws(WorkerThreadError) {
        for projector in projectors { try projector.start() }
    }

    /// Whether this server leads a projection that folds events.
    package var needsEvents: Bool { projectors.contains(where: \.needsEvents) }

    package func logged(_ batch: CommittedBatch) {
        for projector in projectors { projector.committed(batch) }
    }

    package func skipped(to position: StreamPosition) {
        for projector in projectors { projector.logReaches(position.seq) }
    }

    /// Another server has sent a notice. Any thread; never blocks.
    func noticed(_ notice: LogNotice) {
        switch notice {
        case .changed(let what): observers.forEach { $0.changedElsewhere(what) }
        case .erased(let sessions): observers.forEach { $0.erased(sessions) }
        case .awaited, .yield:
            for projector in projectors where projector.name == notice.projection { projector.noticed(notice) }
        case .present, .reached: break
        }
    }

    /// Requests that the rows of a projection up to the position be written. Returns when this server has written
    /// them or after the timeout in seconds; another server may have written them in that case.
    package func write(_ name: String, through seq: Int64, atMost seconds: Double) async {
        await projectors.first { $0.name == name }?.write(through: seq, atMost: seconds)
    }

    /// Call after the writer and the feed have stopped. Writes the committed events if that succeeds at the first
    /// attempt.
    package func stop() {
        for projector in projectors { projector.close() }
        for projector in projectors { projector.join() }
    }
}
