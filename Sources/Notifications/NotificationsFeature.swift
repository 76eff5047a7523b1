package import API
package import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence

extension Feature {
    /// Pushes to devices, their preferences and budgets.
    ///
    /// - Parameter dispatcher: `nil` if pushes are disabled.
    package static func notifications(
        _ dispatcher: PushDispatcher?,
        api: PushAPIService,
        budgets: BudgetMonitor,
        monitors: [NoticeMonitor],
        clock: @escaping @Sendable () -> Timestamp
    ) -> Feature {
        var feature = Feature("notifications")
        feature.routes =
            PushTokenRoutes(service: api).routes + PushPreferenceRoutes(service: api).routes
            + PushDecisionRoutes(service: api).routes + BudgetRoutes(monitor: budgets, clock: clock).routes
        feature.schemas = JSONSchema.push + JSONSchema.pushAnswers + Budget.shape.definitions
        feature.projections = dispatcher.map { [$0.projection] } ?? []
        feature.retention = NotificationRetention.steps
        feature.erasure = NotificationErasure.steps
        feature.metrics = { text in
            PushHealthReport(dispatcher, now: clock()).write(to: &text)
            budgets.write(to: &text)
            for monitor in monitors { monitor.write(to: &text) }
        }
        feature.run = {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await budgets.run() }
                for monitor in monitors { group.addTask { await monitor.run() } }
                group.addTask { await dispatcher?.run() }
            }
        }
        feature.stop = { await dispatcher?.stop() }
        return feature
    }
}
