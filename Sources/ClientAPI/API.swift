public import EventModel

/// The REST API for clients and operators, without streams and ingest.
public enum API {
    public static func routes(
        store: any EventStore & ProjectStore & UsageStore & AuditStore,
        keys: any KeyAdministration,
        clock: @escaping @Sendable () -> Timestamp
    ) -> [Route] {
        SessionRoutes(store: store, clock: clock).routes
            + PromptRoutes(store: store, clock: clock).routes
            + EventRoutes(store: store, clock: clock).routes
            + ProjectRoutes(store: store, clock: clock).routes
            + UsageRoutes(store: store, clock: clock).routes
            + ModelRoutes(clock: clock).routes
            + MachineRoutes(store: store, clock: clock).routes
            + KeyRoutes(keys: keys, clock: clock).routes
            + AuditRoutes(store: store, clock: clock).routes
    }
}
