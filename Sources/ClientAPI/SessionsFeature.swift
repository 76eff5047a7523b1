package import API
package import EventIngest
package import EventModel
internal import JSON
package import Persistence

extension Feature {
    /// Reads of events, sessions, conversations and projects, and changes of sessions.
    package static func sessions(
        _ database: any StoreAccess,
        pipeline: IngestPipeline,
        drive: SessionDriver,
        effects: EffectCounter,
        changes: ExportedChanges = ExportedChanges { _, _ in nil },
        eraser: ProjectEraser,
        directories: ProjectDirectories = ProjectDirectories { _, _, _ in nil },
        clock: @escaping @Sendable () -> Timestamp
    ) -> Feature {
        var feature = Feature("sessions")
        feature.routes =
            SessionRoutes(database: database, clock: clock).routes
            + SessionChangeRoutes(
                database: database,
                pipeline: pipeline,
                drive: drive,
                effects: effects,
                clock: clock
            ).routes
            + EventRoutes(database: database, clock: clock).routes
            + ProjectRoutes(database: database, eraser: eraser, directories: directories, clock: clock).routes
            + ExportRoutes(database: database, changes: changes, clock: clock).routes
        feature.schemas = JSONSchema.sessions
        return feature
    }
}
