package import API
package import EventModel
internal import JSON
package import Persistence

extension Feature {
    /// Prompts and their answers, and messages to sessions.
    package static func interaction(
        _ service: InteractionService,
        database: any StoreAccess,
        clock: @escaping @Sendable () -> Timestamp
    ) -> Feature {
        var feature = Feature("interaction")
        feature.routes =
            PromptRoutes(database: database, service: service, clock: clock).routes
            + OnePromptRoute(service: service).routes
            + AnswerRoutes(service: service).routes + HoldRoutes(service: service).routes
            + MessageRoutes(service: service, clock: clock).routes + PosterRoutes(service: service).routes
            + TrailRoutes(service: service).routes
        feature.schemas = JSONSchema.interaction
        feature.erasure = InteractionErasure.steps
        feature.forgetErased = { await service.forgetErased() }
        feature.metrics = { service.write(to: &$0) }
        feature.run = { await service.run() }
        return feature
    }
}
