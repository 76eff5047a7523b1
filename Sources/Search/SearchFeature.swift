package import API
package import EventModel
internal import JSON
package import Logging
package import Persistence

extension Feature {
    /// Finds text in conversations and hook events.
    package static func search(
        _ database: any StoreAccess,
        clock: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) -> Feature {
        var feature = Feature("search")
        feature.routes = SearchRoutes(database: database, clock: clock).routes
        feature.schemas =
            [("SearchPage", JSONSchema.page("results", "SearchResult"))] + SearchRoutes.result.definitions
        feature.projections = [SearchProjection.source(logger: logger)]
        feature.retention = SearchRetention.steps
        feature.erasure = SearchErasure.steps
        return feature
    }
}
