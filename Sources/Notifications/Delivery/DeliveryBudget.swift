internal import EventModel

/// The used part of a device's budget: the generic cell rate algorithm (ITU-T I.371), whose state is a single time.
struct DeliveryBudget: Sendable, Equatable {
    /// When the budget will be full again. `nil` if nothing has been used.
    var fullAt: Timestamp?

    /// Prompts for permission may use this multiple of the burst.
    static let overdraft = 3

    /// The budget after one more notification.
    func charged(_ budget: PushBudget, at now: Timestamp) -> DeliveryBudget {
        let start = max(fullAt ?? now, now)
        return DeliveryBudget(fullAt: start.adding(seconds: DeliveryBudget.interval(budget)))
    }

    /// When one more notification is allowed. A time not after `now` means immediately.
    func nextAllowed(_ budget: PushBudget, overdraft: Bool) -> Timestamp {
        guard let fullAt else { return .distantPast }
        let burst = budget.burst * (overdraft ? DeliveryBudget.overdraft : 1)
        return fullAt.adding(seconds: -DeliveryBudget.interval(budget) * Double(burst - 1))
    }

    private static func interval(_ budget: PushBudget) -> Double { 3600 / Double(max(1, budget.perHour)) }
}
