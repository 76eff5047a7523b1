public import EventModel

/// Everything clients and operators may ask over REST, apart from streams and ingest.
public enum API {
    public static func router(
        store: any EventStore,
        keys: any KeyAdministration,
        clock: @escaping @Sendable () -> Timestamp
    ) -> Router {
        Router(
            SessionRoutes(store: store, clock: clock).routes
                + EventRoutes(store: store).routes
                + MachineRoutes(store: store).routes
                + KeyRoutes(keys: keys).routes
        )
    }
}
