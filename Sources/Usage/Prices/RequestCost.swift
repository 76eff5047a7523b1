package import EventModel

/// What a request costs by the price list, computed as Claude Code computes it.
struct RequestCost: Equatable {
    /// The client prices a model that it does not know like this one.
    private static let substitute = "claude-opus-5-5"
    /// Dollars for each search of the web by the model.
    private static let webSearch = 0.01
    /// The factor of the tokens of a model that has to run in the United States.
    private static let unitedStates = 1.1

    var dollars: Double
    /// Whether the list lacks the model, so that the cost is the client's guess.
    var isUnpriced: Bool

    init(_ request: RequestUsage, by prices: PriceList) {
        let known = request.model.flatMap { prices.model($0) }
        isUnpriced = known == nil
        let day = String(request.at.description.prefix(10))
        guard let price = (known ?? prices.model(RequestCost.substitute))?.price(on: day) else {
            dollars = 0
            return
        }
        // The substitute has no rates for a fast answer.
        let isFast = request.speed != nil && known != nil
        dollars = price.cost(of: request.tokens, iterations: request.iterations, isFast: isFast)
        if request.geography == "us" { dollars *= RequestCost.unitedStates }
        dollars += Double(request.webSearches) * RequestCost.webSearch
    }
}

extension PriceList {
    /// US dollars for tokens of a model. An unknown model has the price that Claude Code assumes for it.
    package func cost(of tokens: RequestTokens, model: String?, at time: Timestamp) -> Double {
        var request = RequestUsage(source: .transcript, at: time, tokens: tokens)
        request.model = model
        return RequestCost(request, by: self).dollars
    }
}

extension ModelPrice {
    /// - Parameter iterations: the prompts of the request, if it had several, each with its own answer. Each has the
    ///   rates of its own length.
    fileprivate func cost(of tokens: RequestTokens, iterations: [RequestTokens], isFast: Bool) -> Double {
        if isFast, let fast { return fast.cost(of: tokens) }
        guard let longPrompt else { return rates.cost(of: tokens) }
        return (iterations.isEmpty ? [tokens] : iterations).reduce(0) { sum, part in
            sum + (part.prompt > Int64(longPrompt.threshold) ? longPrompt.rates : rates).cost(of: part)
        }
    }
}

extension TokenRates {
    fileprivate func cost(of tokens: RequestTokens) -> Double {
        let million =
            Double(tokens.input) * input + Double(tokens.output) * output + Double(tokens.cacheRead) * cacheRead
            + Double(tokens.cacheWrite5m) * cacheWrite5m + Double(tokens.cacheWrite1h) * cacheWrite1h
        return million / 1e6
    }
}
