package import API
package import EventModel
internal import JSON
package import Logging
package import Persistence

extension Feature {
    /// Requests to models, their tokens and cost; models and their prices.
    package static func usage(
        _ database: any StoreAccess,
        prices: PriceList,
        aliases: ModelAliases,
        offered: @escaping @Sendable (Principal) async -> [MachineModels],
        clock: @escaping @Sendable () -> Timestamp,
        logger: Logger
    ) -> Feature {
        var feature = Feature("usage")
        feature.routes =
            UsageRoutes(database: database, clock: clock).routes
            + RequestUsageRoutes(database: database, clock: clock).routes
            + ModelRoutes(prices: prices, aliases: aliases, offered: offered, clock: clock).routes
        feature.schemas =
            JSONSchema.models + [("RequestPage", JSONSchema.page("requests", "ModelRequest"))]
            + UsageRoutes.shape.definitions + RequestUsageRoutes.shape.definitions + RequestRecord.shape.definitions
            + UsageWindows.shape.definitions
        feature.projections = [UsageProjection.source(prices, logger: logger)]
        feature.erasure = UsageErasure.steps
        feature.metrics = { prices.write(to: &$0, now: clock()) }
        return feature
    }
}
