internal import EventModel

/// The thresholds of all budgets, from the layers of preferences, in ascending order and in US dollars.
struct BudgetRules: Sendable, Equatable {
    /// Thresholds for the cost of all sessions on a day.
    var day: [Double] = []
    /// Thresholds for the daily cost of a project, or the total cost of a session, that has no thresholds of its own.
    var eachProject: [Double] = []
    var eachSession: [Double] = []
    var projects: [String: [Double]] = [:]
    var sessions: [String: [Double]] = [:]

    init() {}

    init(_ layers: [(scope: PushScope, settings: PushPreferences)]) {
        for (scope, settings) in layers {
            switch scope.kind {
            case .default:
                day = settings.costThresholds ?? []
                eachProject = settings.projectCostThresholds ?? []
                eachSession = settings.sessionCostThresholds ?? []
            case .project: projects[scope.subject] = settings.costThresholds
            case .session: sessions[scope.subject] = settings.costThresholds
            case .device: break
            }
        }
    }

    /// The budgets that have thresholds, the day's first.
    func budgets(of spending: Spending) -> [Budget] {
        let parts =
            [Budget(.day, Spending.Part(id: "", cost: spending.day), day)]
            + spending.projects.map { Budget(.project, $0, projects[$0.id] ?? eachProject) }
            + spending.sessions.map { Budget(.session, $0, sessions[$0.id] ?? eachSession) }
        return parts.filter { !$0.thresholds.isEmpty }
    }
}

/// One budget and the amount spent.
package struct Budget: Sendable, Equatable {
    package enum Scope: String, Sendable, CaseIterable {
        case day
        case project
        case session
    }

    package var scope: Scope
    package var part: Spending.Part
    /// Ascending, in US dollars.
    package var thresholds: [Double]
    /// The time zone of the day that the budget is for; `nil` if it is for a session, which has no day.
    var zone: TimeZoneName?

    init(_ scope: Scope, _ part: Spending.Part, _ thresholds: [Double]) {
        (self.scope, self.part, self.thresholds) = (scope, part, thresholds)
    }

    /// The highest threshold that was reached.
    package var reached: Double? { thresholds.last { $0 <= part.cost } }

    /// The notice that a threshold was reached. Its key stays the same until another threshold is reached.
    ///
    /// - Parameter day: days since 1970-01-01.
    func notice(day: Int64, at now: Timestamp) -> Notification? {
        guard let reached else { return nil }
        let name =
            switch scope {
            case .day: "c:\(day)"
            case .project: "c:p:\(NotificationNames.hash(part.id)):\(day)"
            case .session: "c:s:\(NotificationNames.hash(part.id))"
            }
        var details = NotificationDetails(costUSD: reached)
        if scope != .day { details.reason = scope.rawValue }
        return Notification(
            key: "\(name):\(Int64(reached * 100))",
            kind: .costThreshold,
            place: NotificationPlace(
                sessionID: scope == .session ? part.id : nil,
                workspaceID: scope == .project ? part.id : part.workspaceID,
                projectName: part.name
            ),
            seq: 0,
            raisedAt: now,
            notBefore: now,
            expiresAt: now.adding(seconds: NotificationKind.costThreshold.lifetimeSeconds),
            collapseID: name,
            details: details
        )
    }
}
