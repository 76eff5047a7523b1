import EventModel
import Testing

@testable import Notifications

@Suite("Budgets")
struct BudgetTests {
    private let now = Timestamp(microseconds: 1_767_607_200_000_000)
    private let day: Int64 = 20_458

    private func rules(_ layers: (PushScope, String)...) throws -> BudgetRules {
        BudgetRules(try layers.map { ($0.0, try PushPreferences(json: Array($0.1.utf8))) })
    }

    private func notices(_ rules: BudgetRules, _ spending: Spending) -> [Notification] {
        rules.budgets(of: spending).compactMap { $0.notice(day: day, at: now) }
    }

    @Test("without thresholds nothing is said")
    func none() {
        #expect(notices(BudgetRules(), Spending(day: 1e6, projects: [.init(id: "w", cost: 1e6)])).isEmpty)
    }

    @Test("the highest threshold that was reached is told, once under one key")
    func day_() throws {
        let rules = try rules((PushScope(.default), #"{"cost_thresholds_usd":[5,20]}"#))
        #expect(notices(rules, Spending(day: 4.99)).isEmpty)
        let five = try #require(notices(rules, Spending(day: 5)).first)
        #expect(five.key == "c:20458:500")
        #expect(five.details.costUSD == 5)
        #expect(five.key == notices(rules, Spending(day: 19.99)).first?.key)
        let twenty = try #require(notices(rules, Spending(day: 100)).first)
        #expect(twenty.key == "c:20458:2000")
        #expect(twenty.collapseID == five.collapseID)
        #expect(NotificationText(twenty).body == "Today's cost has reached $20.00.")
    }

    @Test("projects and sessions have the thresholds of all, or their own")
    func parts() throws {
        let rules = try rules(
            (
                PushScope(.default),
                #"{"project_cost_thresholds_usd":[10],"session_cost_thresholds_usd":[2]}"#
            ),
            (PushScope(.project, "w2"), #"{"cost_thresholds_usd":[50]}"#),
            (PushScope(.session, "s2"), #"{"cost_thresholds_usd":[]}"#)
        )
        let spending = Spending(
            day: 1000,
            projects: [.init(id: "w1", name: "shop", cost: 11), .init(id: "w2", cost: 49)],
            sessions: [
                .init(id: "s1", workspaceID: "w1", cost: 3), .init(id: "s2", cost: 300), .init(id: "s3", cost: 1),
            ]
        )
        let found = notices(rules, spending)
        #expect(found.map(\.place.workspaceID) == ["w1", "w1"])
        #expect(found.map(\.place.sessionID) == [nil, "s1"])
        #expect(
            found.map { NotificationText($0).body } == [
                "The project's cost of today has reached $10.00.", "The session's cost has reached $2.00.",
            ]
        )
        #expect(found.allSatisfy { $0.key.utf8.count <= 64 && $0.collapseID.utf8.count <= 64 })
        // A session's budget is in total: it is told once, whatever the day.
        let session = rules.budgets(of: spending).first { $0.scope == .session }
        #expect(session?.notice(day: day + 1, at: now)?.key == found[1].key)
        #expect(Set(found.map(\.key)).count == 2)
    }
}
