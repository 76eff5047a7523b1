package import EventModel
internal import HTTPModel
package import Notifications

/// The push routes.
public enum PushAPI {
    package static func routes(
        _ service: PushAPIService,
        budgets: BudgetMonitor,
        clock: @escaping @Sendable () -> Timestamp
    ) -> [Route] {
        PushTokenRoutes(service: service).routes + PushPreferenceRoutes(service: service).routes
            + PushDecisionRoutes(service: service).routes + BudgetRoutes(monitor: budgets, clock: clock).routes
    }
}

extension RouteRequest {
    /// The operator selects a device with `?device_id=`.
    func pushCaller() throws(APIError) -> PushCaller {
        guard let principal else {
            throw APIError(.authentication, status: 401, code: "missing_credential", message: "A credential is needed.")
        }
        let named = try query.integer("device_id", in: 1...Int64.max)
        return PushCaller(
            principal,
            named: named.map { String($0) },
            peer: http.peerAddress,
            requestID: http.requestID
        )
    }
}
