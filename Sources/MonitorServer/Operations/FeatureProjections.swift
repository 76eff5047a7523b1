internal import Logging
internal import Machines
internal import Persistence
internal import Search
internal import Usage

/// The projections of features that can be rebuilt.
enum FeatureProjections {
    static func all(prices: PriceList, logger: Logger) -> [ProjectionSource] {
        [
            UsageProjection.source(prices, logger: logger), SearchProjection.source(logger: logger),
            CompletenessProjection.source(logger: logger),
        ]
    }
}
