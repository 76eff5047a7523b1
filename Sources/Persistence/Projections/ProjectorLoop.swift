import EventModel
import Logging

/// The work of a projector's thread. Belongs to that thread.
final class ProjectorLoop {
    /// Maximum number of events in one read of the log.
    private static let pageEvents = 1000

    private let projection: any Projection
    private let configuration: PersistenceConfiguration
    private let inbox: ProjectorInbox
    private let progress: ProjectionProgress
    private let clock: @Sendable () -> Timestamp
    private let logger: Logger
    private var schedule: ProjectorSchedule
    private var connection: PQConnection?
    private var cursor: ProjectionCursor?
    /// Position of the last folded event.
    private var folded: Int64 = 0
    private var batches: [CommittedBatch] = []
    /// The last logged failure. Each failure is logged once.
    private var trouble: String?

    init(
        _ projection: any Projection,
        configuration: PersistenceConfiguration,
        inbox: ProjectorInbox,
        progress: ProjectionProgress,
        clock: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) {
        self.projection = projection
        self.configuration = configuration
        self.inbox = inbox
        self.progress = progress
        self.clock = clock
        self.logger = logger
        schedule = ProjectorSchedule(pacing: projection.pacing, now: clock())
    }

    /// Returns when the inbox is closed and committed events are written, if that succeeds at the first attempt.
    func run() {
        while !inbox.isClosed {
            take()
            attempt { () throws(PersistenceError) in try step() }
        }
        take()
        while schedule.isLeading, projection.foldsEvents, schedule.hasUnwritten || folded < schedule.knownEnd {
            attempt { () throws(PersistenceError) in
                try fold()
                try write()
            }
        }
        progress.reached(nil)
        // Closing the connection also releases the lease, but only some time after this function returns.
        attempt { () throws(PersistenceError) in try dropLease() }
        connection = nil
    }

    private func take() {
        let news = inbox.take()
        let now = clock()
        if let seq = news.committed { schedule.logReaches(seq) }
        if let seq = news.awaited { schedule.awaits(seq, at: now) }
        if news.isAwaitedElsewhere, schedule.isLeading { schedule.awaits(nil, at: now) }
        if schedule.isLeading { batches += news.batches }
        if news.isToYield, schedule.isLeading {
            attempt { () throws(PersistenceError) in try dropLease() }
            if connection != nil { schedule.yielded(at: now) }
        }
    }

    private func step() throws(PersistenceError) {
        let now = clock()
        let action = schedule.next(at: now)
        if case .wait(let milliseconds) = action {
            inbox.wait(milliseconds: milliseconds, isGathering: schedule.isGathering(at: now))
            return
        }
        if action == .connect { return try connect() }
        guard let connection else { return }
        switch action {
        case .takeLease: try takeLease(connection)
        case .askLeader: try askLeader(connection)
        case .check: try check(connection)
        case .fold: try fold()
        case .write: try write()
        case .wait, .connect: break
        }
    }

    /// After any error, the loop reconnects and continues after the cursor.
    private func attempt(_ body: () throws(PersistenceError) -> Void) {
        do throws(PersistenceError) {
            try body()
        } catch {
            let isNew = trouble != "\(error)" && !inbox.isClosed
            if isNew { logger.warning("projection interrupted", metadata: metadata(["error": "\(error)"])) }
            trouble = "\(error)"
            connection = nil
            batches = []
            progress.reached(nil)
            schedule.lost(at: clock())
        }
    }

    private func metadata(_ more: Logger.Metadata = [:]) -> Logger.Metadata {
        more.merging(["projection": "\(projection.name)"]) { $1 }
    }
}

extension ProjectorLoop {
    private func connect() throws(PersistenceError) {
        connection = try ProjectorLoop.open(projection, configuration) { [inbox] in inbox.isClosed }
        schedule.connected(at: clock())
    }

    static func open(
        _ projection: any Projection,
        _ configuration: PersistenceConfiguration,
        as role: String = "projector",
        timeoutSeconds: Int32 = 60,
        shouldGiveUp: @escaping () -> Bool = { false }
    ) throws(PersistenceError) -> PQConnection {
        let connection = try PQConnection(
            configuration,
            applicationName: "claude-monitor \(role) \(projection.name)",
            replyTimeoutMilliseconds: timeoutSeconds * 1000,
            shouldGiveUp: shouldGiveUp
        )
        // The commit need not wait for the disk if the events can be folded again.
        let commits = projection.foldsEvents ? "off" : "on"
        try connection.execute(
            """
            SET lock_timeout = '8s'; SET idle_in_transaction_session_timeout = '60s'; SET jit = off;
            SET synchronous_commit = \(commits)
            """,
            as: "set up"
        )
        return connection
    }

    private func takeLease(_ connection: PQConnection) throws(PersistenceError) {
        let name = ProjectionStatements.named(projection.name)
        guard try connection.query(ProjectionStatements.takeLease, name).firstValue() == true else {
            return schedule.leaseRefused(at: clock())
        }
        logger.debug("projection led by this server", metadata: metadata())
        try begin(connection)
        trouble = nil
    }

    private func dropLease() throws(PersistenceError) {
        guard schedule.isLeading, let connection else { return }
        projection.forget()
        batches = []
        progress.reached(nil)
        _ = try connection.query(ProjectionStatements.dropLease, ProjectionStatements.named(projection.name))
    }

    private func askLeader(_ connection: PQConnection) throws(PersistenceError) {
        let notice = LogNotice.awaited(projection: projection.name)
        _ = try connection.query(ProjectionStatements.notify, ProjectionStatements.named(notice.payload))
        schedule.asked()
    }

    /// Continues after the cursor, as if the lease had just been acquired.
    private func begin(_ connection: PQConnection) throws(PersistenceError) {
        projection.forget()
        batches = []
        progress.begins()
        var place = try ProjectionPlace.read(projection.name, on: connection)
        if let folding = projection as? any FoldingProjection, !place.isCurrent(for: folding) {
            let rebuilt = try ProjectionRebuild.run(folding, on: connection)
            logger.info("projection rebuilt", metadata: metadata(["events": "\(rebuilt.events)"]))
            place = try ProjectionPlace.read(projection.name, on: connection)
        }
        guard let found = place.cursor else {
            throw PersistenceError(.malformedReply, "the projection has no row")
        }
        cursor = found
        // In another epoch, a projection that reads the log itself determines its position when it writes.
        folded = found.epoch == place.epoch ? found.seq : -1
        progress.reached(folded)
        schedule.began(at: folded, end: place.lastSeq, now: clock())
    }

    private func check(_ connection: PQConnection) throws(PersistenceError) {
        let place = try ProjectionPlace.read(projection.name, on: connection)
        guard place.cursor == cursor, place.epoch == cursor?.epoch else { return try begin(connection) }
        schedule.checked(end: place.lastSeq, at: clock())
    }

    private func fold() throws(PersistenceError) {
        guard let connection, let cursor else { return }
        guard projection.foldsEvents else {
            folded = max(folded, schedule.knownEnd)
            return schedule.folded(through: folded, hasChanges: projection.hasChanges, at: clock())
        }
        for batch in batches {
            guard batch.epoch == cursor.epoch else { return try begin(connection) }
            guard let first = batch.events.first, let last = batch.events.last, last.seq > folded else { continue }
            // The events in between must be read from the log.
            if first.seq > folded + 1 { break }
            let fresh = first.seq > folded ? batch.events : batch.events.filter { $0.seq > folded }
            try projection.fold(fresh, on: connection)
            folded = last.seq
        }
        batches.removeAll { $0.events.last.map { $0.seq <= folded } ?? true }
        if folded < schedule.knownEnd {
            let end = batches.first?.events.first.map { $0.seq - 1 } ?? schedule.knownEnd
            let page = try LogPage.read(after: folded, through: end, limit: ProjectorLoop.pageEvents, on: connection)
            try projection.fold(page.events, on: connection)
            folded = page.through
        }
        schedule.folded(through: folded, hasChanges: projection.hasChanges, at: clock())
    }

    private func write() throws(PersistenceError) {
        guard let connection, let cursor else { return }
        let start = clock()
        guard let next = try projection.write(from: cursor, to: folded, on: connection) else {
            return try begin(connection)
        }
        self.cursor = next
        let now = clock()
        progress.reached(next.seq)
        schedule.wrote(through: next.seq, took: now.seconds(since: start), at: now)
    }
}

extension ProjectionPlace {
    func isCurrent(for projection: any FoldingProjection) -> Bool {
        cursor?.version == projection.version && cursor?.epoch == epoch
    }
}
