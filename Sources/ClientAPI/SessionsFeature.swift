package import API
package import EventIngest
package import EventModel
internal import JSON
package import Persistence

extension Feature {
    /// Reads of events, sessions, conversations and projects.
    package static func sessions(
        _ database: any StoreAccess,
        pipeline: IngestPipeline,
        drive: SessionDriver,
        clock: @escaping @Sendable () -> Timestamp
    ) -> Feature {
        var feature = Feature("sessions")
        feature.routes =
            SessionRoutes(database: database, clock: clock).routes
            + SessionChangeRoutes(database: database, pipeline: pipeline, drive: drive, clock: clock).routes
            + EventRoutes(database: database, clock: clock).routes
            + ProjectRoutes(database: database, clock: clock).routes
            + ExportRoutes(database: database, clock: clock).routes
        feature.schemas = JSONSchema.sessions
        return feature
    }
}
