package import EventModel
package import HTTPModel

/// The known models with their prices, built in or replaced by the operator's file.
package struct PriceList: Sendable {
    package let models: [ModelRecord]
    /// Where the prices come from.
    package let source: String
    /// The day on which they were last checked, `2026-11-21`.
    package let day: String
    private let index: ModelIndex

    /// Prices that were checked longer ago are reported as old.
    static let freshDays: Int64 = 60

    package init(models: [ModelRecord], source: String, day: String) {
        self.models = models
        self.source = source
        self.day = day
        index = ModelIndex(models)
    }

    /// Finds a model by its id, an alias, or a name that a session, a cloud provider or a gateway has for it.
    package func model(_ name: String) -> ModelRecord? { index.position(of: name).map { models[$0] } }

    /// Days since the prices were last checked.
    package func age(at now: Timestamp) -> Int64? {
        Timestamp(rfc3339: day + "T00:00:00Z").map { Int64(now.seconds(since: $0) / 86_400) }
    }

    package func write(to text: inout PrometheusText, now: Timestamp) {
        guard let age = age(at: now) else { return }
        let seconds = Double(age) * 86_400
        text.gauge("monitor_price_list_age_seconds", "Time since the day of the last check of the price list.", seconds)
        text.gauge("monitor_price_list_age_days", "Deprecated: see monitor_price_list_age_seconds.", Double(age))
    }

    package func isOld(at now: Timestamp) -> Bool { age(at: now).map { $0 > PriceList.freshDays } ?? true }
}
