internal import API
internal import EventModel
internal import HTTPModel
internal import JSON

/// `/v1/budgets`: how much of each budget was spent.
struct BudgetRoutes: Sendable {
    let monitor: BudgetMonitor
    let clock: @Sendable () -> Timestamp

    var routes: [Route] {
        [
            Route(.get, "/v1/budgets", .read, handler: list)
                .described(
                    "Budgets that have thresholds, and what was spent of them: the day's, then projects and sessions.",
                    QueryParameter.pages,
                    as: "BudgetPage"
                )
        ]
    }

    @Sendable private func list(_ request: RouteRequest) async throws(APIError) -> HTTPResponse {
        let paging = try Paging(request.query, path: "/v1/budgets", .whole)
        let budgets = try await monitor.budgets()
        return ListAnswer(paging, request, at: clock()).response(nil, whole: budgets, of: Budget.shape)
    }
}

extension Budget {
    static let shape = ObjectShape<Budget>("Budget") { it in
        it.word("scope") { $0.scope }
        it.member("id") { $0.part.id }
        it.member("name") { $0.part.name }
        it.member("project_id") { $0.scope == .project ? $0.part.id : $0.part.workspaceID }
        it.member("spent_usd") { $0.part.cost }
        it.custom("thresholds_usd", JSONSchema.array(JSONSchema.number)) { budget, writer in
            writer.beginArray()
            for threshold in budget.thresholds { threshold.writeJSON(to: &writer) }
            writer.endArray()
        }
        it.member("reached_usd") { $0.reached }
        it.member("timezone") { $0.zone?.text }
    }
}
