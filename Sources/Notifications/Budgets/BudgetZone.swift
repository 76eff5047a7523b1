internal import EventModel
internal import Logging
internal import Persistence
internal import Synchronization

/// The time zone of the budgets' day: the configured one, or UTC if the database, which computes the day, does not know
/// it. The database is asked until it has answered once.
final class BudgetZone: Sendable {
    private let configured: TimeZoneName
    private let logger: Logger
    private let chosen = Mutex<TimeZoneName?>(nil)

    init(_ configured: TimeZoneName, logger: Logger) {
        (self.configured, self.logger) = (configured, logger)
    }

    func known(to store: PostgresStore) async throws(PersistenceError) -> TimeZoneName {
        if let zone = chosen.withLock({ $0 }) { return zone }
        let zone = try await store.knows(configured) ? configured : .utc
        let isFirst = chosen.withLock { chosen in
            defer { chosen = zone }
            return chosen == nil
        }
        if isFirst, zone != configured {
            logger.error(
                """
                the database does not know the time zone of MONITOR_TIMEZONE, so the day of budgets is that of UTC; \
                set a name of pg_timezone_names, or update the time zones of PostgreSQL, and restart the server
                """,
                metadata: ["zone": "\(configured.text)"]
            )
        }
        return zone
    }
}
