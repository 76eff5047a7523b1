/// A model and its token prices over time.
package struct ModelRecord: Sendable {
    package var id: String
    /// Other names of the model in sessions.
    package var aliases: [String]
    /// Maximum number of tokens in a session of the Claude Code client.
    package var contextWindow: Int
    package var maximumOutput: Int?
    /// The last month of the training data, `2024-10`, or `nil` if unknown.
    package var trainingData: String?
    /// Oldest first.
    package var prices: [ModelPrice]

    /// "Claude Haiku 3.5" of `claude-3-5-haiku-20241022`.
    package var name: String { words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: " ") }

    /// `claude-haiku-3.5` of `claude-3-5-haiku-20241022`.
    package var family: String { words.joined(separator: "-") }

    /// The words of the id without the date, followed by the version.
    private var words: [String] {
        let parts = id.split(separator: "-").map(String.init)
        let version = parts.filter { Int($0) != nil && $0.count < 8 }.joined(separator: ".")
        return parts.filter { Int($0) == nil } + [version]
    }

    /// `claude-opus-4` of `claude-opus-4-20250514`. Returns `nil` for a name without a date.
    package static func withoutDay(_ name: String) -> String? {
        let parts = name.split(separator: "-")
        guard parts.count > 1, let day = parts.last, day.count == 8, day.allSatisfy({ ("0"..."9").contains($0) }) else {
            return nil
        }
        return parts.dropLast().joined(separator: "-")
    }

    /// The earliest known day of the model, `2026-09-01`.
    package var since: String? {
        if let stamp = id.split(separator: "-").last, stamp.count == 8, Int(stamp) != nil {
            return "\(stamp.prefix(4))-\(stamp.dropFirst(4).prefix(2))-\(stamp.suffix(2))"
        }
        return prices.first?.effectiveFrom
    }

    /// The price on a day, `2026-09-01`. Earlier days get the oldest price.
    package func price(on day: String) -> ModelPrice? {
        prices.last { $0.effectiveFrom.map { $0 <= day } ?? true } ?? prices.first
    }
}

package struct ModelPrice: Sendable {
    /// The first day on which it applies, or `nil` if unknown.
    package var effectiveFrom: String?
    package var rates: TokenRates
    /// Applies to the whole prompt if it has more than `threshold` tokens.
    package var longPrompt: (threshold: Int, rates: TokenRates)?
    /// The rates of fast answers, or `nil` if they cost the same.
    package var fast: TokenRates?

    init(
        from: String? = nil,
        _ rates: TokenRates,
        above threshold: Int? = nil,
        _ longRates: TokenRates? = nil,
        fast: TokenRates? = nil
    ) {
        effectiveFrom = from
        self.rates = rates
        self.fast = fast
        if let threshold, let longRates { longPrompt = (threshold, longRates) }
    }
}

/// US dollars per million tokens. Each rate is stored separately, because the ratio of the cache-read rate to the
/// input rate differs between models.
package struct TokenRates: Sendable, Equatable {
    package var input: Double
    package var output: Double
    package var cacheRead: Double
    package var cacheWrite5m: Double
    package var cacheWrite1h: Double

    package init(_ input: Double, _ output: Double, read: Double, write5m: Double, write1h: Double) {
        self.input = input
        self.output = output
        cacheRead = read
        cacheWrite5m = write5m
        cacheWrite1h = write1h
    }
}
