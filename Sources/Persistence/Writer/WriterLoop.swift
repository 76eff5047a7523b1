import EventModel
import Logging
import Synchronization
import Workers

/// One call of `EventWriter.append`, waiting for its commit.
struct WriterRequest: Sendable {
    let events: [MonitorEvent]
    let completion: @Sendable ([AppendOutcome]) -> Void

    func refuse(retryAfter: Int) {
        completion([AppendOutcome](repeating: .unavailable(retryAfter: retryAfter), count: events.count))
    }
}

/// The writer's thread: takes queued requests, commits them and answers them. Belongs to that thread.
final class WriterLoop {
    /// How often an idle writer checks its connection.
    private static let idleMilliseconds = 1000
    /// How many times a transaction is tried after a deadlock or lock timeout.
    private static let transientAttempts = 3

    private let mailbox: Mailbox<WriterRequest>
    private let configuration: PersistenceConfiguration
    private let sharedStatus: SharedWriterStatus
    private let clock: @Sendable () -> Timestamp
    private let observers: [any CommitObserver]
    private let stopDeadline: @Sendable () -> Timestamp?
    private let link: WriterConnection
    private let settled: Settled
    private var committer: BatchCommitter

    /// Where the link stores a formerly uncertain plan that turned out to be committed, for the batch that waits for
    /// it, and the flag that a connection is new.
    private final class Settled {
        var plan: BatchPlan?
        var isConnectionNew = false
    }

    init(
        mailbox: Mailbox<WriterRequest>,
        configuration: PersistenceConfiguration,
        sharedStatus: SharedWriterStatus,
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp,
        observers: [any CommitObserver],
        stopDeadline: @escaping @Sendable () -> Timestamp?
    ) {
        self.mailbox = mailbox
        self.configuration = configuration
        self.sharedStatus = sharedStatus
        self.clock = clock
        self.observers = observers
        self.stopDeadline = stopDeadline
        committer = BatchCommitter { batch in for observer in observers { observer.committing(batch) } }
        let settled = Settled()
        self.settled = settled
        link = WriterConnection(
            configuration: configuration,
            sharedStatus: sharedStatus,
            logger: logger,
            clock: clock,
            shouldGiveUp: { stopDeadline().map { clock() > $0 } ?? false },
            onHead: { head in
                settled.isConnectionNew = true
                for observer in observers { observer.logReaches(head) }
            },
            onSettled: { plan in
                sharedStatus.committed(plan)
                for observer in observers { observer.committed(plan.committed) }
                settled.plan = plan
            }
        )
    }

    func run() {
        while true {
            link.connectIfDue()
            settled.plan = nil
            let taken = mailbox.takeAll(
                maxElements: configuration.batchRequests,
                maxBytes: configuration.batchBytes,
                timeoutMilliseconds: pauseMilliseconds
            )
            switch taken {
            case .elements(let requests):
                answer(requests)
                for observer in observers { observer.answered() }
            case .timedOut:
                link.checkIdle()
                link.probeShortage()
            case .closed: return
            }
        }
    }

    private var pauseMilliseconds: Int {
        if link.connection == nil { return max(1, link.pauseMilliseconds) }
        return WriterLoop.idleMilliseconds
    }

    private func forgetIfConnectionIsNew() {
        guard settled.isConnectionNew else { return }
        settled.isConnectionNew = false
        committer.forget()
    }

    private func answer(_ requests: [WriterRequest]) {
        if let deadline = stopDeadline(), clock() > deadline { return refuse(requests) }
        guard link.connection != nil else { return refuse(requests) }
        let start = clock()
        let events = requests.flatMap(\.events)
        let outcomes = commit(events, until: giveUpTime(from: start))
        sharedStatus.answered(outcomes, microseconds: max(0, clock().microseconds - start.microseconds))
        var first = 0
        for request in requests {
            request.completion(Array(outcomes[first..<(first + request.events.count)]))
            first += request.events.count
        }
    }

    private func refuse(_ requests: [WriterRequest]) {
        for request in requests {
            sharedStatus.refused(events: request.events.count)
            request.refuse(retryAfter: retryAfter)
        }
    }

    private var retryAfter: Int { max(1, (link.pauseMilliseconds + 999) / 1000) }

    private func giveUpTime(from start: Timestamp) -> Timestamp {
        let bound = start.adding(seconds: configuration.commitRetrySeconds)
        return min(bound, stopDeadline() ?? bound)
    }

    /// Returns one outcome for each event. If a part cannot be committed now, the parts after it are unavailable too.
    private func commit(_ events: [MonitorEvent], until giveUp: Timestamp) -> [AppendOutcome] {
        var outcomes: [AppendOutcome?] = Array(repeating: nil, count: events.count)
        var split = BatchSplit(count: events.count)
        parts: while let part = split.next() {
            switch commitPart(events[part], until: giveUp) {
            case .committed(let placements):
                for (index, placement) in zip(part, placements) { outcomes[index] = AppendOutcome(placement) }
            case .refused(let error):
                if !split.halve(part) { outcomes[part.lowerBound] = .rejected(error) }
            case .unavailable: break parts
            }
        }
        return outcomes.map { $0 ?? .unavailable(retryAfter: retryAfter) }
    }

    private enum PartOutcome {
        case committed([BatchPlan.Placement])
        case refused(PersistenceError)
        case unavailable
    }

    private func commitPart(_ events: ArraySlice<MonitorEvent>, until giveUp: Timestamp) -> PartOutcome {
        var transientFailures = 0
        var isPlacedAgain = false
        while true {
            guard let connection = connection(until: giveUp) else { return .unavailable }
            if let plan = settled.plan {
                settled.plan = nil
                return .committed(plan.placements)
            }
            forgetIfConnectionIsNew()
            do throws(CommitFailure) {
                let plan = try committer.commit(events, on: connection)
                link.committed()
                if !plan.fresh.isEmpty {
                    sharedStatus.committed(plan)
                    for observer in observers { observer.committed(plan.committed) }
                }
                return .committed(plan.placements)
            } catch {
                // An insert that waits while its day's partition is attached is still routed to the default
                // partition, which then refuses it.
                if error.error.sqlState == .checkViolation, !isPlacedAgain {
                    isPlacedAgain = true
                    continue
                }
                if error.error.isDataError { return .refused(error.error) }
                transientFailures += 1
                if error.error.sqlState?.isTransient == true, transientFailures < WriterLoop.transientAttempts {
                    continue
                }
                link.lose(error.error, uncertain: error.uncertain)
                if !error.error.isConnectionLost { return .unavailable }
            }
        }
    }

    /// Returns the connection, reconnecting if necessary until the deadline.
    private func connection(until giveUp: Timestamp) -> PQConnection? {
        while true {
            link.connectIfDue()
            if let connection = link.connection { return connection }
            let pause = link.pauseMilliseconds
            guard clock().adding(seconds: Double(pause) / 1000) < giveUp else { return nil }
            WorkerThread.sleep(milliseconds: max(1, pause))
        }
    }
}

extension AppendOutcome {
    fileprivate init(_ placement: BatchPlan.Placement) {
        switch placement {
        case .fresh(let seq): self = .accepted(seq: seq)
        case .duplicate(let seq): self = .duplicate(seq: seq)
        }
    }
}
