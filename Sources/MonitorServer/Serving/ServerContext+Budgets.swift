internal import EventModel
internal import Notifications
internal import Persistence
internal import Usage

extension ServerContext {
    static func budgets(
        _ database: Database,
        _ clock: @escaping @Sendable () -> Timestamp,
        _ steadyClock: @escaping @Sendable () -> Timestamp
    ) -> BudgetMonitor {
        BudgetMonitor(database: database, clock: clock, steadyClock: steadyClock) {
            store,
            start async throws(PersistenceError) in
            let (projects, sessions, total) = try await store.costs(since: start)
            func part(_ cost: CostOfPart) -> Spending.Part {
                Spending.Part(id: cost.id, workspaceID: cost.workspaceID, name: cost.name, cost: cost.cost)
            }
            return Spending(day: total, projects: projects.map(part), sessions: sessions.map(part))
        }
    }
}
