import EventModel
import Logging
import Workers

/// The writer's connection, with reconnects. Belongs to the writer's thread.
final class WriterConnection {
    /// Seconds after which a connection counts as stable: losing it resets the backoff.
    private static let steadySeconds = 10.0

    /// Seconds from a failure for lack of space to the next look whether there is space again.
    private static let probeSeconds = 3.0

    private let configuration: PersistenceConfiguration
    private let sharedStatus: SharedWriterStatus
    private let logger: Logger
    private let clock: @Sendable () -> Timestamp
    private let onSettled: (BatchPlan) -> Void
    private let onHead: (StreamPosition) -> Void
    private let shouldGiveUp: () -> Bool
    private var backoff = Backoff(0.1...5)
    private var connectedAt: Timestamp?
    private var probedAt: Timestamp?
    private var random = SystemRandomNumberGenerator()
    private var nextAttempt: Timestamp
    /// A plan whose commit was sent on a connection that was lost.
    private var uncertain: BatchPlan?
    private(set) var connection: PQConnection?

    /// - Parameters:
    ///   - shouldGiveUp: whether to stop waiting for an answer.
    ///   - onHead: called with the end of the log on a new connection.
    ///   - onSettled: called when an uncertain plan turns out to be committed.
    init(
        configuration: PersistenceConfiguration,
        sharedStatus: SharedWriterStatus,
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp,
        shouldGiveUp: @escaping () -> Bool,
        onHead: @escaping (StreamPosition) -> Void,
        onSettled: @escaping (BatchPlan) -> Void
    ) {
        self.configuration = configuration
        self.sharedStatus = sharedStatus
        self.logger = logger
        self.clock = clock
        self.onSettled = onSettled
        self.onHead = onHead
        self.shouldGiveUp = shouldGiveUp
        nextAttempt = clock()
    }

    /// Milliseconds until the next connection attempt. Setting the clock back does not extend it.
    var pauseMilliseconds: Int {
        let seconds = nextAttempt.seconds(since: clock())
        return seconds > backoff.range.upperBound ? 0 : max(0, Int((seconds * 1000).rounded(.up)))
    }

    /// Connects if an attempt is due. Resolves an uncertain commit of a lost connection before anything else is
    /// written.
    func connectIfDue() {
        guard connection == nil, pauseMilliseconds == 0 else { return }
        do throws(PersistenceError) {
            let connection = try open()
            if let plan = uncertain {
                let committed = try BatchCommitter.find(plan, on: connection)
                uncertain = nil
                if let committed { onSettled(committed) }
            }
            self.connection = connection
            connectedAt = clock()
            sharedStatus.connected(at: clock())
            logger.info("database connected for writing")
        } catch {
            giveUp(error)
        }
    }

    /// Resets the backoff after a successful commit.
    func committed() {
        backoff.reset()
    }

    func lose(_ error: PersistenceError, uncertain plan: BatchPlan? = nil) {
        if let plan { uncertain = plan }
        giveUp(error)
    }

    /// Detects, between batches, that the server has closed the connection. The first reconnect is due at once.
    func checkIdle() {
        guard let connection, connection.isClosedByServer() else { return }
        giveUp(PersistenceError(.connectionLost, "the server closed the connection"))
        nextAttempt = clock()
    }

    /// After a commit that failed for lack of space, looks whether there is space again: writes a megabyte and rolls it
    /// back. Without it, an idle writer would not learn that the shortage is over.
    func probeShortage() {
        guard let connection, let since = sharedStatus.snapshot.lastShortageAt,
            clock().seconds(since: max(since, probedAt ?? since)) >= WriterConnection.probeSeconds
        else { return }
        probedAt = clock()
        do throws(PersistenceError) {
            try probeSpace(on: connection)
            sharedStatus.shortageIsOver()
        } catch {
            if error.sqlState?.isShortage == true { return sharedStatus.shortage(at: clock()) }
            if error.isConnectionLost { return giveUp(error) }
            // Another server looks, or the disk is slow: not known yet.
            if error.isRetriable { return }
            // The account may not create tables. The next commit tells.
            sharedStatus.shortageIsOver()
        }
    }

    private func probeSpace(on connection: PQConnection) throws(PersistenceError) {
        do throws(PersistenceError) {
            try connection.execute(WriterStatements.probeSpace, as: "probe_space")
        } catch {
            if !error.isConnectionLost { _ = try connection.query(WriterStatements.rollback) }
            throw error
        }
    }

    private func giveUp(_ error: PersistenceError) {
        if connection != nil || sharedStatus.snapshot.lastError != error.description {
            logger.warning("database not available for writing", metadata: ["error": "\(error)"])
        }
        connection = nil
        // The backoff also grows for a database that accepts connections but refuses every commit, for example
        // because its disk is full.
        if let connectedAt, clock().seconds(since: connectedAt) > WriterConnection.steadySeconds { backoff.reset() }
        connectedAt = nil
        nextAttempt = clock().adding(seconds: backoff.next(using: &random))
        sharedStatus.disconnected(error, at: clock())
    }

    private func open() throws(PersistenceError) -> PQConnection {
        let connection = try PQConnection(
            configuration,
            applicationName: "claude-monitor writer",
            replyTimeoutMilliseconds: 12_000,
            shouldGiveUp: shouldGiveUp
        )
        try SessionPooling.require(of: connection, configuration)
        // A node that hangs in the middle of a batch must not keep the log head locked for the others. Every lookup
        // uses a unique index, so a plan made while the tables were small must not become a sequential scan.
        try connection.execute(
            """
            SET statement_timeout = '10s'; SET lock_timeout = '8s';
            SET idle_in_transaction_session_timeout = '10s'; SET jit = off; SET enable_seqscan = off
            """,
            as: "set up"
        )
        guard let head = try connection.query(WriterStatements.probe).firstRow else {
            throw PersistenceError(.malformedReply, "log_head has no row")
        }
        onHead(try head.make { epoch, seq in StreamPosition(epoch: epoch, seq: seq) })
        return connection
    }
}
