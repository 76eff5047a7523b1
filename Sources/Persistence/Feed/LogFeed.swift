package import EventModel
package import Logging
import Synchronization
package import Workers

/// Passes the log on to this server's observers, in order. This server's commits come from the writer. What other
/// servers have committed in between is read from the database: once for all observers, and only if one needs it.
///
/// It also tells the other servers where the log ends. A notice may be lost, and events that cannot be read are
/// skipped; the observers then read the log themselves.
package final class LogFeed: CommitObserver {
    private struct State {
        var sequence = LogSequence()
        var neighbours: Neighbours
        /// Whether a thread is calling the observers. It also passes on what others add meanwhile.
        var isPassing = false
        /// When the thread looks again what there is to do for it.
        var wakesAt: Timestamp
        var readAt: Timestamp
        /// The database could not be read. Until then nothing is read, and no notice is sent.
        var awayUntil: Timestamp
        /// Seconds without reads after one that failed. Grows while the feed gets no connection, for example because a
        /// pooler has none left, so that own commits rarely wait for a read that fails.
        var backoff = Backoff(1...30)

        func dueAt(isReading: Bool) -> Timestamp {
            let due = isReading && sequence.missing != nil ? min(readAt, neighbours.dueAt) : neighbours.dueAt
            return max(due, awayUntil)
        }
    }

    /// Seconds between the starts of two reads, so that one read serves several commits.
    private static let readSeconds = 0.005
    /// Milliseconds after which a read has failed. Own commits wait for it.
    private static let readTimeout: Int32 = 3000

    private let configuration: PersistenceConfiguration
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    private let observers: [any LogObserver]
    private let projectors: Projectors
    private let listener: LogListener
    private let state: Mutex<State>
    /// Holds at most one element; each element is a wake-up.
    private let wakeUps = Mailbox<Void>(byteLimit: 1)
    private let thread = Mutex<WorkerThread?>(nil)
    /// Set by `stop`: the time at which the thread gives up a query in progress.
    private let endsAt = Mutex<Timestamp?>(nil)
    /// Seconds that the thread has after `stop` to tell the other servers of the last commits.
    private static let lastNoticeSeconds = 1.0

    /// - Parameters:
    ///   - clock: must be monotonic.
    ///   - observers: get the log before the projectors.
    package init(
        configuration: PersistenceConfiguration,
        clock: @escaping @Sendable () -> Timestamp,
        logger: Logger,
        projectors: Projectors,
        observers: [any LogObserver] = []
    ) {
        (self.configuration, self.clock, self.logger, self.projectors) = (configuration, clock, logger, projectors)
        self.observers = observers + [projectors]
        let now = clock()
        let name = String(UInt64.random(in: .min ... .max), radix: 36)
        let neighbours = Neighbours(name: name, now: now)
        state = Mutex(State(neighbours: neighbours, wakesAt: now, readAt: now, awayUntil: now))
        listener = LogListener(configuration: configuration)
    }

    /// Call once. Both threads connect by themselves and retry.
    package func start() throws(WorkerThreadError) {
        let worker = try WorkerThread(name: "log-feed") { [self] in run() }
        thread.withLock { $0 = worker }
        try listener.start { [self] notice in noticed(notice) }
    }

    /// Call after the writer has stopped. Tells the other servers of its last commits first, for at most a second.
    package func stop() {
        listener.stop()
        let end = clock().adding(seconds: LogFeed.lastNoticeSeconds)
        endsAt.withLock { $0 = end }
        wakeUps.close()
        thread.withLock { $0 }?.join()
    }

    /// Any thread. The log ends at this position, or later.
    package func logReaches(_ position: StreamPosition) {
        change { $0.sequence.reaches(position) }
    }

    package func committing(_ batch: CommittedBatch) {
        guard state.withLock({ !$0.isPassing && $0.sequence.isNext(batch) }) else { return }
        for observer in observers { observer.expects(batch) }
    }

    package func committed(_ batch: CommittedBatch) {
        guard let last = batch.events.last else { return }
        let now = clock()
        change { state in
            state.sequence.committed(batch)
            state.neighbours.committed(StreamPosition(epoch: batch.epoch, seq: last.seq), at: now)
        }
    }

    private func noticed(_ notice: LogNotice) {
        let now = clock()
        switch notice {
        case .present(let name): change { $0.neighbours.heard(from: name, at: now) }
        case .reached(let position, let name):
            change { state in
                guard name != state.neighbours.name else { return }
                state.neighbours.heard(from: name, at: now)
                // Only the database tells of another epoch: a notice can be from before a restore.
                if position.epoch == state.sequence.position?.epoch { state.sequence.reaches(position) }
            }
        case .erased:
            change { $0.sequence.forget() }
            projectors.noticed(notice)
        case .awaited, .yield, .changed: projectors.noticed(notice)
        }
    }

    /// Changes the state, passes on what can be passed on, and wakes the thread if there is something to do for it.
    private func change(_ body: @Sendable (inout State) -> Void) {
        state.withLock { body(&$0) }
        let now = clock()
        let isReading = observers.contains(where: \.needsEvents) && now >= state.withLock(\.awayUntil)
        pass(isReading: isReading)
        let wakes = state.withLock { state in
            let due = state.dueAt(isReading: isReading)
            guard due < state.wakesAt else { return false }
            state.wakesAt = due
            return true
        }
        if wakes { _ = wakeUps.offer((), bytes: 1) }
    }

    private func pass(isReading: Bool) {
        while let step = nextStep(isReading: isReading) {
            for observer in observers {
                switch step {
                case .events(let batch): observer.logged(batch)
                case .skip(let position): observer.skipped(to: position)
                }
            }
            state.withLock { $0.isPassing = false }
        }
    }

    private func nextStep(isReading: Bool) -> LogSequence.Step? {
        state.withLock { state in
            guard !state.isPassing, let step = state.sequence.next(isReading: isReading) else { return nil }
            state.isPassing = true
            return step
        }
    }
}

/// The feed's thread.
extension LogFeed {
    private enum Work {
        case read(LogSequence.Request)
        case tell(LogNotice)
        case wait(milliseconds: Int)
    }

    private func run() {
        var connection: PQConnection?
        var trouble: String?
        while !wakeUps.isClosed {
            let work = next(at: clock())
            if case .wait(let milliseconds) = work {
                _ = wakeUps.takeAll(timeoutMilliseconds: milliseconds)
                continue
            }
            do throws(PersistenceError) {
                if connection == nil { connection = try connect() }
                if let connection { try perform(work, on: connection) }
                trouble = nil
                state.withLock { $0.backoff.reset() }
            } catch {
                connection = nil
                if trouble != "\(error)" { logger.debug("the log was not read", metadata: ["error": "\(error)"]) }
                trouble = "\(error)"
                failed(work)
            }
        }
        tellLastCommits(over: connection)
    }

    private func tellLastCommits(over open: PQConnection?) {
        guard let notice = state.withLock({ $0.neighbours.lastNews() }) else { return }
        do throws(PersistenceError) {
            let connection = if let open { open } else { try connect() }
            try perform(.tell(notice), on: connection)
        } catch {
            logger.debug("the other servers were not told of the last commits", metadata: ["error": "\(error)"])
        }
    }

    private func next(at now: Timestamp) -> Work {
        let needsEvents = observers.contains(where: \.needsEvents)
        return state.withLock { state in
            state.wakesAt = now
            if now >= state.awayUntil {
                if needsEvents, now >= state.readAt, let request = state.sequence.missing {
                    state.readAt = now.adding(seconds: LogFeed.readSeconds)
                    return .read(request)
                }
                if let notice = state.neighbours.due(at: now) { return .tell(notice) }
            }
            state.wakesAt = state.dueAt(isReading: needsEvents)
            return .wait(milliseconds: max(1, Int((state.wakesAt.microseconds - now.microseconds + 999) / 1000)))
        }
    }

    private func perform(_ work: Work, on connection: PQConnection) throws(PersistenceError) {
        switch work {
        case .read(let request):
            let pages = try LogPage.read(request.ranges, on: connection)
            change { state in
                for (range, page) in zip(request.ranges, pages) {
                    state.sequence.read(page.events, from: range.lowerBound, through: page.through, for: request)
                }
            }
        case .tell(let notice):
            _ = try connection.query(ProjectionStatements.notify, ProjectionStatements.named(notice.payload))
        case .wait: break
        }
    }

    private func failed(_ work: Work) {
        let now = clock()
        change { state in
            state.awayUntil = now.adding(seconds: state.backoff.next())
            if case .read(let request) = work { state.sequence.readFailed(request) }
        }
    }

    private func connect() throws(PersistenceError) -> PQConnection {
        let connection = try PQConnection(
            configuration,
            applicationName: "claude-monitor feed",
            replyTimeoutMilliseconds: LogFeed.readTimeout,
            shouldGiveUp: { [self] in endsAt.withLock { $0.map { clock() >= $0 } ?? false } }
        )
        // A notice need not wait for the disk.
        let settings = "SET statement_timeout = \(LogFeed.readTimeout); SET jit = off; SET synchronous_commit = off"
        try connection.execute(settings, as: "set up")
        return connection
    }
}
