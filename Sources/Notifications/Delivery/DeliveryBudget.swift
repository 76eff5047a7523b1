internal import EventModel

/// How much of a device's budget is used: the generic cell rate algorithm (ITU-T I.371), whose whole state is one time.
struct DeliveryBudget: Sendable, Equatable {
    /// When the budget is whole again. `nil`: nothing was used yet.
    var fullAt: Timestamp?

    /// How often over a burst may be drawn for prompts for permission.
    static let overdraft = 3

    /// The budget after one more notification.
    func charged(_ budget: PushBudget, at now: Timestamp) -> DeliveryBudget {
        let start = max(fullAt ?? now, now)
        return DeliveryBudget(fullAt: start.adding(seconds: DeliveryBudget.interval(budget)))
    }

    /// When one more notification is allowed; not after `now`: at once.
    func nextAllowed(_ budget: PushBudget, overdraft: Bool) -> Timestamp {
        guard let fullAt else { return .distantPast }
        let burst = budget.burst * (overdraft ? DeliveryBudget.overdraft : 1)
        return fullAt.adding(seconds: -DeliveryBudget.interval(budget) * Double(burst - 1))
    }

    private static func interval(_ budget: PushBudget) -> Double { 3600 / Double(max(1, budget.perHour)) }
}
