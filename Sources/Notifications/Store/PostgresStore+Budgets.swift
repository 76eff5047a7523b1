internal import EventModel
internal import Persistence

extension PostgresStore {
    /// The thresholds that people have set.
    func budgetRules() async throws(PersistenceError) -> BudgetRules {
        try await run { connection throws(PersistenceError) in
            var layers: [(scope: PushScope, settings: PushPreferences)] = []
            for row in try connection.query(BudgetStatements.layers).rows {
                let (kind, subject, json): (PushScope.Kind, String, [UInt8]) = try row.values()
                guard let settings = try? PushPreferences(json: json) else { continue }
                layers.append((PushScope(kind, subject), settings))
            }
            return BudgetRules(layers)
        }
    }

    /// Stores notices that are not stored yet, with their deliveries. Does nothing if no device gets pushes.
    func raise(_ notices: [Notification], now: Timestamp) async throws(PersistenceError) {
        guard !notices.isEmpty else { return }
        try await run { connection throws(PersistenceError) in
            guard try connection.query(DetectionStatements.hasListeners).firstValue() == true else { return }
            let parameters = Parameters(of: DetectionStatements.notices.arrays(notices.map { ($0, nil) }), now)
            _ = try connection.query(DetectionStatements.raise, parameters)
        }
    }
}

private enum BudgetStatements {
    static let layers = Statement(
        "push_budget_layers",
        """
        SELECT scope, subject, settings FROM push_preferences
        WHERE scope = 'default' OR scope IN ('project', 'session') AND settings LIKE '%cost_thresholds_usd%'
        """
    )
}
