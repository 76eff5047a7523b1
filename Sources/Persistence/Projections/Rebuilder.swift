package import EventModel
package import Logging
import Workers

/// Rebuilds tables that are derived from the log. It takes the lease of each projection: running servers release it
/// on request for a few seconds, and wait for it meanwhile.
package struct Rebuilder: Sendable {
    package struct Outcome: Sendable, Equatable {
        /// Number of log events read.
        package var events: Int64
        /// The tables hold the log up to this position.
        package var through: Int64
    }

    package enum Failure: Error, Sendable, Equatable, CustomStringConvertible {
        case unknown(String, known: [String])
        /// Another process holds the lease and does not release it.
        case leaseHeld(projection: String, by: String)
        case database(PersistenceError)

        package var description: String {
            switch self {
            case .unknown(let name, let known):
                "There is no projection '\(name)' that can be rebuilt: \(known.joined(separator: ", "))."
            case .leaseHeld(let name, let holder):
                "The lease of '\(name)' is held by \(holder). Nothing was changed."
            case .database(let error): "\(error)"
            }
        }
    }

    /// Projections that can be rebuilt. Push decisions have side effects and are excluded.
    package var names: [String] { Rebuilder.names(and: more) }

    package static func names(and more: [ProjectionSource]) -> [String] {
        [SessionProjection.name, EventCountProjection.name] + more.filter(\.foldsEvents).map(\.name)
    }

    /// Seconds for which the lease is requested.
    private static let leaseSeconds = 10.0
    private static let pauseMilliseconds = 100

    private let configuration: PersistenceConfiguration
    private let logger: Logger
    private let clock: @Sendable () -> Timestamp
    /// Projections of other modules that fold events.
    private let more: [ProjectionSource]

    /// - Parameter more: projections of other modules. Those that read the log themselves are ignored.
    package init(
        configuration: PersistenceConfiguration,
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp,
        and more: [ProjectionSource] = []
    ) {
        self.more = more.filter(\.foldsEvents)
        self.configuration = configuration
        self.logger = logger
        self.clock = clock
    }

    /// Blocks, on its own connection. After a failure the tables are unchanged.
    package func run(_ name: String) -> Result<Outcome, Failure> {
        let projection: any FoldingProjection
        switch name {
        case SessionProjection.name: projection = SessionProjection(logger: logger)
        case EventCountProjection.name: projection = EventCountProjection()
        default:
            guard case .folding(let make)? = more.first(where: { $0.name == name })?.making else {
                return .failure(.unknown(name, known: names))
            }
            projection = make()
        }
        do throws(PersistenceError) {
            let connection = try ProjectorLoop.open(projection, configuration, as: "rebuild", timeoutSeconds: 3600)
            guard try takeLease(name, connection) else {
                return .failure(.leaseHeld(projection: name, by: try holder(of: name, connection)))
            }
            let outcome = try ProjectionRebuild.run(projection, on: connection)
            // Closing the connection also releases the lease, but only some time after this function returns.
            _ = try connection.query(ProjectionStatements.dropLease, ProjectionStatements.named(name))
            return .success(Outcome(events: outcome.events, through: outcome.through))
        } catch {
            return .failure(.database(error))
        }
    }

    private func takeLease(_ name: String, _ connection: PQConnection) throws(PersistenceError) -> Bool {
        let deadline = clock().adding(seconds: Rebuilder.leaseSeconds)
        let parameters = ProjectionStatements.named(name)
        let request = ProjectionStatements.named(LogNotice.yield(projection: name).payload)
        while true {
            if try connection.query(ProjectionStatements.takeLease, parameters).firstValue() == true {
                return true
            }
            guard clock() < deadline else { return false }
            _ = try connection.query(ProjectionStatements.notify, request)
            WorkerThread.sleep(milliseconds: Rebuilder.pauseMilliseconds)
        }
    }

    private func holder(of name: String, _ connection: PQConnection) throws(PersistenceError) -> String {
        let parameters = ProjectionStatements.named(name)
        guard let row = try connection.query(ProjectionStatements.leaseHolder, parameters).firstRow else {
            return "a process that has just gone; try again"
        }
        let (backend, name, address, since): (Int64, String, String, Timestamp) = try row.values()
        let application = name.isEmpty ? "a program without a name" : "'\(name)'"
        return "\(application) from \(address), backend \(backend), connected since \(since)"
    }
}
