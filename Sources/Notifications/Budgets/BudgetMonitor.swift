package import EventModel
package import HTTPModel
package import Logging
package import Persistence
internal import Synchronization

/// Compares the cost of requests with the thresholds that people have set, raises a notice for each threshold that is
/// reached, and keeps the figures for `/metrics`. Every server of a database does so, but a notice has a key and is
/// stored only once.
package final class BudgetMonitor: Sendable {
    /// Reads the costs since the beginning of a day.
    package typealias Source =
        @Sendable (PostgresStore, Timestamp) async throws(PersistenceError) -> Spending

    private static let pauseSeconds = 5.0
    /// The time that reading may take of all time, as one part of so many.
    private static let restFactor = 30.0
    /// The maximum number of projects, and of sessions, that are shown. They are the most expensive ones.
    private static let shown = 20

    private let database: any StoreAccess
    private let zone: BudgetZone
    private let logger: Logger
    private let source: Source
    private let clock: @Sendable () -> Timestamp
    private let steadyClock: @Sendable () -> Timestamp
    private let failures = Mutex(FailureLog())
    private let latest = Mutex<(spending: Spending, budgets: [Budget])?>(nil)

    /// - Parameter zone: the time zone of the day. If the database does not know it, the day is UTC's.
    package init(
        database: any StoreAccess,
        zone: TimeZoneName,
        logger: Logger,
        clock: @escaping @Sendable () -> Timestamp,
        steadyClock: @escaping @Sendable () -> Timestamp,
        source: @escaping Source
    ) {
        (self.database, self.clock, self.logger) = (database, clock, logger)
        self.zone = BudgetZone(zone, logger: logger)
        (self.steadyClock, self.source) = (steadyClock, source)
    }

    /// Returns when the task is cancelled.
    package func run() async {
        while !Task.isCancelled {
            let began = steadyClock()
            await check()
            let took = steadyClock().seconds(since: began)
            let pause = max(BudgetMonitor.pauseSeconds, took * BudgetMonitor.restFactor)
            try? await Task.sleep(for: .seconds(pause))
        }
    }

    /// Compares once. The check after one that fails includes everything that was spent.
    func check() async {
        // The supervisor logs that the database is unavailable.
        guard let store = try? database.store() else { return }
        do throws(PersistenceError) {
            let now = clock()
            let (day, spending, budgets) = try await read(store, at: now)
            let notices = budgets.compactMap { $0.notice(day: day.number, at: now) }
            try await store.raise(notices, now: now)
            latest.withLock { $0 = (spending, budgets) }
            guard failures.withLock({ $0.succeeded() }) else { return }
            logger.info("budgets are compared again")
        } catch {
            guard failures.withLock({ $0.failed(error) }) else { return }
            logger.error("budgets not compared", metadata: ["error": "\(error)"])
        }
    }

    private func read(
        _ store: PostgresStore,
        at now: Timestamp
    ) async throws(PersistenceError) -> (LocalDay, Spending, [Budget]) {
        let zone = try await zone.known(to: store)
        let day = try await store.localDay(.containing(now), in: zone)
        let spending = try await source(store, day.start)
        var budgets = try await store.budgetRules().budgets(of: spending)
        for index in budgets.indices where budgets[index].scope != .session { budgets[index].zone = zone }
        return (day, spending, budgets)
    }

    /// The current budgets that have thresholds: first the day's, then those of the most expensive projects and
    /// sessions.
    package func budgets() async throws(APIError) -> [Budget] {
        let now = clock()
        let (_, _, budgets) = try await database.use { store throws(PersistenceError) in try await read(store, at: now)
        }
        return BudgetMonitor.shown(of: budgets)
    }

    package func write(to text: inout PrometheusText) {
        guard let (spending, budgets) = latest.withLock({ $0 }) else { return }
        text.gauge("monitor_cost_today_usd", "Cost of requests to models on the day of MONITOR_TIMEZONE.", spending.day)
        let shown = BudgetMonitor.shown(of: budgets)
        text.metric(
            "monitor_budget_spent_usd",
            .gauge,
            "Spent of each budget: a project's on the day, a session's in total."
        )
        for budget in shown { text.sample("monitor_budget_spent_usd", labels: budget.labels, budget.part.cost) }
        text.metric("monitor_budget_limit_usd", .gauge, "The highest threshold of each budget.")
        for budget in shown {
            text.sample("monitor_budget_limit_usd", labels: budget.labels, budget.thresholds.last ?? 0)
        }
        text.metric("monitor_budget_reached_usd", .gauge, "The highest threshold that was reached, or 0.")
        for budget in shown { text.sample("monitor_budget_reached_usd", labels: budget.labels, budget.reached ?? 0) }
    }

    private static func shown(of budgets: [Budget]) -> [Budget] {
        budgets.filter { $0.scope == .day } + most(of: budgets, .project) + most(of: budgets, .session)
    }

    private static func most(of budgets: [Budget], _ scope: Budget.Scope) -> [Budget] {
        Array(budgets.filter { $0.scope == scope }.sorted { $0.part.cost > $1.part.cost }.prefix(shown))
    }
}

extension Budget {
    fileprivate var labels: [(String, String)] { [("scope", scope.rawValue), ("id", part.id)] }
}
