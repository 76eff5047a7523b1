public import EventModel

/// Everything clients and operators may ask over REST, apart from streams and ingest.
public enum API {
    public static func routes(
        store: any EventStore & ProjectStore & UsageStore & AuditStore,
        keys: any KeyAdministration,
        clock: @escaping @Sendable () -> Timestamp
    ) -> [Route] {
        SessionRoutes(store: store, clock: clock).routes
            + EventRoutes(store: store).routes
            + ProjectRoutes(store: store, clock: clock).routes
            + UsageRoutes(store: store, clock: clock).routes
            + ModelRoutes(clock: clock).routes
            + MachineRoutes(store: store).routes
            + KeyRoutes(keys: keys).routes
            + AuditRoutes(store: store).routes
    }
}
