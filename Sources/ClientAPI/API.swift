public import EventModel

/// Everything clients and operators may ask over REST, apart from streams and ingest.
public enum API {
    public static func routes(
        store: any EventStore,
        keys: any KeyAdministration,
        clock: @escaping @Sendable () -> Timestamp
    ) -> [Route] {
        SessionRoutes(store: store, clock: clock).routes
            + EventRoutes(store: store).routes
            + MachineRoutes(store: store).routes
            + KeyRoutes(keys: keys).routes
    }
}
