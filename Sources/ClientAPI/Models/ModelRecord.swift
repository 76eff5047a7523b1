/// A model and its token prices over time.
struct ModelRecord: Sendable {
    var id: String
    /// Other names of the model in sessions.
    var aliases: [String]
    /// Maximum number of tokens in a session of the Claude Code client.
    var contextWindow: Int
    var maximumOutput: Int?
    /// The last month of the training data, `2024-10`, or `nil` if unknown.
    var trainingData: String?
    /// Oldest first.
    var prices: [ModelPrice]

    init(
        _ id: String,
        _ aliases: String...,
        context: Int,
        output: Int? = nil,
        training: String? = nil,
        _ prices: [ModelPrice]
    ) {
        self.id = id
        self.aliases = aliases
        contextWindow = context
        maximumOutput = output
        trainingData = training
        self.prices = prices
    }

    /// "Claude Haiku 3.5" of `claude-3-5-haiku-20241022`.
    var name: String { words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ") }

    /// `claude-haiku-3.5` of `claude-3-5-haiku-20241022`.
    var family: String { words.joined(separator: "-") }

    /// The words of the id without the date, followed by the version.
    private var words: [String] {
        let parts = id.split(separator: "-").map(String.init)
        let version = parts.filter { Int($0) != nil && $0.count < 8 }.joined(separator: ".")
        return parts.filter { Int($0) == nil } + [version]
    }

    /// `claude-opus-4` of `claude-opus-4-20250514`. Returns `nil` for a name without a date.
    static func withoutDay(_ name: String) -> String? {
        let parts = name.split(separator: "-")
        guard parts.count > 1, let day = parts.last, day.count == 8, day.allSatisfy({ ("0"..."9").contains($0) }) else {
            return nil
        }
        return parts.dropLast().joined(separator: "-")
    }

    /// The earliest known day of the model, `2026-09-01`.
    var since: String? {
        if let stamp = id.split(separator: "-").last, stamp.count == 8, Int(stamp) != nil {
            return "\(stamp.prefix(4))-\(stamp.dropFirst(4).prefix(2))-\(stamp.suffix(2))"
        }
        return prices.first?.effectiveFrom
    }

    /// The price on a day, `2026-09-01`. Earlier days get the oldest price.
    func price(on day: String) -> ModelPrice? {
        prices.last { $0.effectiveFrom.map { $0 <= day } ?? true } ?? prices.first
    }
}

struct ModelPrice: Sendable {
    /// The first day on which it applies, or `nil` if unknown.
    var effectiveFrom: String?
    var rates: TokenRates
    /// Applies to the whole request if its prompt has more than `threshold` tokens.
    var longPrompt: (threshold: Int, rates: TokenRates)?

    init(from: String? = nil, _ rates: TokenRates, above threshold: Int? = nil, _ longRates: TokenRates? = nil) {
        effectiveFrom = from
        self.rates = rates
        if let threshold, let longRates { longPrompt = (threshold, longRates) }
    }
}

/// US dollars per million tokens. Each rate is stored separately, because the ratio of the cache-read rate to the
/// input rate differs between models.
struct TokenRates: Sendable, Equatable {
    var input: Double
    var output: Double
    var cacheRead: Double
    var cacheWrite5m: Double
    var cacheWrite1h: Double

    init(_ input: Double, _ output: Double, read: Double, write5m: Double, write1h: Double) {
        self.input = input
        self.output = output
        cacheRead = read
        cacheWrite5m = write5m
        cacheWrite1h = write1h
    }
}
