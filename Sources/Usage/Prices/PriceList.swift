package import EventModel
package import HTTPModel

/// The known models with their prices, built in or replaced by the operator's file.
package struct PriceList: Sendable {
    package var models: [ModelRecord]
    /// Where the prices come from.
    package var source: String
    /// The day on which they were last checked, `2026-11-21`.
    package var day: String

    package static let standard = PriceList(models: ModelTable.all, source: ModelTable.source, day: ModelTable.day)

    /// The client prices an unknown model like this one.
    static let substitute = "claude-opus-5-5"
    /// Dollars for each search of the web by the model.
    static let webSearch = 0.01
    /// Prices that were checked longer ago are reported as old.
    static let freshDays: Int64 = 60

    package init(models: [ModelRecord], source: String, day: String) {
        self.models = models
        self.source = source
        self.day = day
    }

    /// Finds a model by id or alias, with or without a date, a suffix in brackets as in `claude-opus-5[1m]`, and the
    /// prefix and suffix of a cloud provider as in `us.anthropic.claude-opus-5-v1:0` and `claude-opus-5@20260101`.
    package func model(_ name: String) -> ModelRecord? {
        var name = name.split(separator: "[", maxSplits: 1).first.map(String.init) ?? name
        name = name.split(separator: "@", maxSplits: 1).first.map(String.init) ?? name
        if let vendor = name.range(of: "anthropic.") { name = String(name[vendor.upperBound...]) }
        if let version = name.range(of: "-v"), name[version.upperBound...].allSatisfy({ $0.isNumber || $0 == ":" }) {
            name = String(name[..<version.lowerBound])
        }
        let exact = models.first { $0.id == name || $0.aliases.contains(name) }
        return exact
            ?? ModelRecord.withoutDay(name).flatMap { family in
                models.first { $0.id == family || $0.aliases.contains(family) }
            }
    }

    /// The cost of a request, computed from its tokens.
    struct Cost: Equatable {
        var dollars: Double
        /// The model is not in the list, or its price for fast answers is not known.
        var isEstimate: Bool
    }

    func cost(of request: RequestUsage) -> Cost {
        let day = String(request.at.description.prefix(10))
        let known = request.model.flatMap { model($0) }
        guard let price = (known ?? model(PriceList.substitute))?.price(on: day) else {
            return Cost(dollars: 0, isEstimate: true)
        }
        let tokens = request.tokens
        var dollars = price.rates(prompt: tokens.prompt).cost(of: tokens)
        if request.geography?.lowercased().hasPrefix("us") ?? false { dollars *= 1.1 }
        if request.serviceTier == "batch" { dollars *= 0.5 }
        dollars += Double(request.webSearches) * PriceList.webSearch
        return Cost(dollars: dollars, isEstimate: known == nil || request.speed != nil)
    }

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

extension ModelPrice {
    /// - Parameter prompt: the tokens that the model read, which select the tier.
    func rates(prompt: Int64) -> TokenRates {
        guard let longPrompt, prompt > Int64(longPrompt.threshold) else { return rates }
        return longPrompt.rates
    }
}

extension TokenRates {
    func cost(of tokens: RequestTokens) -> Double {
        let million =
            Double(tokens.input) * input + Double(tokens.output) * output + Double(tokens.cacheRead) * cacheRead
            + Double(tokens.cacheWrite5m) * cacheWrite5m + Double(tokens.cacheWrite1h) * cacheWrite1h
        return million / 1e6
    }
}

extension String {
    /// The first occurrence. The standard library has none without Foundation.
    fileprivate func range(of text: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
