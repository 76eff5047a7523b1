public import Logging

/// Brings `event_counts` up to the end of the log, so that statistics over days need not read the events. Any number of
/// nodes may try; one at a time does it.
public struct EventCounting: Sendable {
    /// Events that one transaction counts.
    static let step: Int64 = 100_000
    /// Transactions of one run, so that a stop does not wait for a long log.
    private static let steps = 10

    private let configuration: PersistenceConfiguration
    private let logger: Logger

    public init(configuration: PersistenceConfiguration, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
    }

    /// Blocks, on a connection of its own. Whether there is more to count. Safe to repeat after any error;
    /// `shouldGiveUp` as in `LogMaintenance.run`.
    public func run(shouldGiveUp: @escaping () -> Bool = { false }) throws(PersistenceError) -> Bool {
        let connection = try PQConnection(
            configuration,
            applicationName: "claude-monitor counting",
            replyTimeoutMilliseconds: 600_000
        )
        connection.shouldGiveUp = shouldGiveUp
        try connection.execute("SET lock_timeout = '3s'; SET jit = off", as: "set up")
        var parameters = Parameters()
        parameters.add(EventCounting.step)
        var total: Int64 = 0
        for _ in 0..<EventCounting.steps {
            let counted = try connection.query(EventCounting.count, parameters).firstRow?.int64(0) ?? 0
            total += counted
            guard counted == EventCounting.step else {
                if total > EventCounting.step { logger.info("events counted", metadata: ["events": "\(total)"]) }
                return false
            }
        }
        return true
    }

    private static let count = Statement("count_events", [.int8], "SELECT count_events($1)")
}
