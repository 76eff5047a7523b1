import DatabaseSamples
import EventModel
import HTTPModel
import Synchronization
import Testing

@testable import Notifications
@testable import Persistence

/// A monitor of a database with one budget, the day's.
private final class MonitoredBudget: StoreAccess {
    private let kept: PostgresStore
    private let failure = Mutex<PersistenceError?>(nil)
    private let starts = Mutex<[Timestamp]>([])
    let log = LogLines()

    init() throws {
        let database = try TestDatabase()
        try database.execute(
            """
            INSERT INTO push_preferences (scope, subject, settings, updated_at)
            VALUES ('default', '', '{"cost_thresholds_usd":[5]}', now())
            """
        )
        var configuration = database.configuration
        configuration.storeConnections = 1
        kept = PostgresStore(configuration: configuration, logger: quiet)
        try kept.start()
    }

    deinit { kept.stop() }

    func store() throws(APIError) -> PostgresStore { kept }

    /// The beginnings of the days whose costs were read.
    var days: [String] { starts.withLock { $0.map(\.description) } }

    func fail(_ error: PersistenceError?) { failure.withLock { $0 = error } }

    func monitor(_ zone: String) throws -> BudgetMonitor {
        let now = try #require(Timestamp(rfc3339: "2026-11-10T23:30:00Z"))
        return BudgetMonitor(
            database: self,
            zone: try #require(TimeZoneName(zone)),
            logger: log.logger,
            clock: { now },
            steadyClock: { now }
        ) { [self] _, start async throws(PersistenceError) in
            starts.withLock { $0.append(start) }
            if let failure = failure.withLock({ $0 }) { throw failure }
            return Spending(day: 7)
        }
    }
}

@Suite("The monitor of budgets")
struct BudgetMonitorTests {
    @Test("takes the day of its zone")
    func zone() async throws {
        let budget = try MonitoredBudget()
        let found = try await budget.monitor("Asia/Tokyo").budgets()
        #expect(found.map(\.reached) == [5])
        #expect(budget.days == ["2026-11-10T15:00:00.000Z"])
        #expect(budget.log.all == [])
    }

    @Test("takes the day of UTC if the database lacks the zone, and says so once")
    func unknownZone() async throws {
        let budget = try MonitoredBudget()
        let monitor = try budget.monitor("Mars/Olympus")
        await monitor.check()
        await monitor.check()
        #expect(try await monitor.budgets().map(\.reached) == [5])
        #expect(Set(budget.days) == ["2026-11-10T00:00:00.000Z"])
        #expect(budget.log.all.count == 1)
        #expect(
            budget.log.all.first?.hasPrefix("error the database does not know the time zone of MONITOR_TIMEZONE")
                == true
        )
        #expect(budget.log.all.first?.hasSuffix("zone=Mars/Olympus") == true)
    }

    @Test("logs a failure when it begins, when it changes and when it is over")
    func failures() async throws {
        let budget = try MonitoredBudget()
        let monitor = try budget.monitor("UTC")
        let refused = PersistenceError(.refusedByServer(SQLState("22023")), "no such zone")
        let away = PersistenceError(.connectionLost, "gone")
        for failure in [nil, refused, refused, away, refused, PersistenceError(.malformedReply, "no row"), nil, nil] {
            budget.fail(failure)
            await monitor.check()
        }
        #expect(
            budget.log.all == [
                "error budgets not compared error=no such zone (SQLSTATE 22023)",
                "error budgets not compared error=no row", "info budgets are compared again",
            ]
        )
    }
}
