package import EventModel
package import Heartbeats
package import Usage

/// The REST API for clients and operators, without streams and ingest.
public enum API {
    package static func routes(
        store: any EventStore & ProjectStore & UsageStore & AuditStore & ConversationStore & SearchStore,
        keys: any KeyAdministration,
        prices: PriceList = .standard,
        reports: MachineReports = MachineReports(),
        clock: @escaping @Sendable () -> Timestamp
    ) -> [Route] {
        SessionRoutes(store: store, clock: clock).routes
            + PromptRoutes(store: store, clock: clock).routes
            + EventRoutes(store: store, clock: clock).routes
            + ProjectRoutes(store: store, clock: clock).routes
            + UsageRoutes(store: store, clock: clock).routes
            + RequestUsageRoutes(store: store, clock: clock).routes
            + SearchRoutes(store: store, clock: clock).routes
            + ExportRoutes(store: store, clock: clock).routes
            + ModelRoutes(prices: prices, clock: clock).routes
            + MachineRoutes(store: store, reports: reports, clock: clock).routes
            + KeyRoutes(keys: keys, clock: clock).routes
            + AuditRoutes(store: store, clock: clock).routes
    }
}
