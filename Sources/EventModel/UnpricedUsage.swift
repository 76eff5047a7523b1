/// The part of a sum of requests whose models have no price. The cost is the estimate of Claude Code, which uses the
/// price of its default model for a model that it does not know.
public struct UnpricedUsage: Sendable, Equatable {
    /// Maximum number of names in `models`.
    private static let mostModels = 20

    public var cost = 0.0
    public var requests: Int64 = 0
    public var models: [String] = []

    public init() {}

    public init(model: String, requests: Int64, cost: Double) {
        self.cost = cost
        self.requests = requests
        models = [model]
    }

    public mutating func add(_ other: UnpricedUsage) {
        cost += other.cost
        requests += other.requests
        let new = other.models.filter { !models.contains($0) }
        models += new.prefix(max(0, UnpricedUsage.mostModels - models.count))
    }
}
