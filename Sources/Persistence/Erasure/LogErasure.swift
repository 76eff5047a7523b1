package import EventModel
internal import Workers

/// Erases sessions from the log and from everything that is derived from it, in one transaction.
package struct LogErasure: Sendable {
    private static let attempts = 40
    private static let pauseMilliseconds = 250

    private let configuration: PersistenceConfiguration
    private let steps: [ErasureStep]

    /// - Parameter steps: the erasure of the features' tables.
    package init(configuration: PersistenceConfiguration, steps: [ErasureStep]) {
        self.configuration = configuration
        self.steps = steps
    }

    /// Blocks, on its own connection. Meanwhile reads of sessions wait, but posts do not. Events that are committed
    /// after it has begun are not erased.
    ///
    /// - Throws: `behind` if a projection does not catch up with the events to erase; nothing was changed then.
    package func run(_ scope: ErasureScope) throws(PersistenceError) -> ErasureReport {
        let connection = try PQConnection(
            configuration,
            applicationName: "claude-monitor erasure",
            replyTimeoutMilliseconds: 3_600_000
        )
        try connection.execute("SET lock_timeout = '30s'; SET TimeZone = 'UTC'; SET jit = off", as: "set up")
        try connection.execute(ErasureStatements.tables, as: "erasure tables")
        for attempt in 1... {
            do throws(PersistenceError) {
                if let report = try erase(scope, on: connection) { return report }
            } catch {
                if !error.isConnectionLost { _ = try? connection.query(ErasureStatements.rollback) }
                throw error
            }
            _ = try connection.query(ErasureStatements.rollback)
            guard attempt < LogErasure.attempts else { break }
            // Asks the projections' leaders to write now.
            for name: String in try connection.query(LogErasure.names).values() {
                let notice = LogNotice.awaited(projection: name).payload
                _ = try connection.query(ProjectionStatements.notify, ProjectionStatements.named(notice))
            }
            WorkerThread.sleep(milliseconds: LogErasure.pauseMilliseconds)
        }
        throw PersistenceError(.behind, ProjectionWait.message)
    }

    /// Returns `nil` if a projection is behind.
    private func erase(_ scope: ErasureScope, on connection: PQConnection) throws(PersistenceError) -> ErasureReport? {
        typealias SQL = ErasureStatements
        _ = try connection.query(SQL.begin)
        _ = try connection.query(SQL.hold)
        _ = try connection.query(SQL.clear)
        try fill(scope, on: connection)
        guard try connection.query(SQL.isBehind).firstValue() == false else { return nil }
        var report = ErasureReport()
        report.sessions = try connection.query(SQL.found).values()
        for step in steps {
            for statement in step.statements {
                let rows = Int64(try connection.query(statement).affectedRows)
                if step.isTranscript { report.transcriptLines += rows }
            }
        }
        for statement in SQL.own { _ = try connection.query(statement) }
        report.events = Int64(try connection.query(SQL.deleteEvents).affectedRows)
        for statement in [SQL.touchAll, SQL.notify, SQL.tellWriters] { _ = try connection.query(statement) }
        guard try connection.query(SQL.commit).commandTag == "COMMIT" else {
            throw PersistenceError(.malformedReply, "the transaction was rolled back by the server")
        }
        return report
    }

    private func fill(_ scope: ErasureScope, on connection: PQConnection) throws(PersistenceError) {
        typealias SQL = ErasureStatements
        switch scope {
        case .session(let id):
            _ = try connection.query(SQL.scope, Parameters(of: MachineID?.none, String?.none))
            _ = try connection.query(SQL.sessionsOfID, Parameters(of: id))
        case .machine(let machine):
            _ = try connection.query(SQL.scope, Parameters(of: machine, String?.none))
            _ = try connection.query(SQL.sessionsOfScope)
        case .project(let id):
            _ = try connection.query(SQL.scope, Parameters(of: MachineID?.none, id))
            _ = try connection.query(SQL.sessionsOfScope)
        }
        _ = try connection.query(SQL.events)
    }

    private static let names = Statement("projection_names", "SELECT name FROM projections ORDER BY name")
}
