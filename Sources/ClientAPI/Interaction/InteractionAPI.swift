package import EventModel
internal import HTTPModel
package import Interaction

/// The routes by which people answer sessions, and hooks end their waits.
public enum InteractionAPI {
    package static func routes(
        _ service: InteractionService,
        clock: @escaping @Sendable () -> Timestamp
    ) -> [Route] {
        OnePromptRoute(service: service).routes + AnswerRoutes(service: service).routes
            + HoldRoutes(service: service).routes
            + MessageRoutes(service: service, clock: clock).routes + PosterRoutes(service: service).routes
            + TrailRoutes(service: service).routes
    }
}
