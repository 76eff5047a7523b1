/// What a session has used, the source of this information, and how certain it is.
public struct SessionUsage: Sendable, Equatable {
    public enum Source: String, Sendable, CaseIterable {
        /// Only telemetry.
        case otel
        /// Only the lines of transcripts.
        case transcript
        /// The sum that the client wrote when it ended.
        case costState = "cost_state"
        /// Telemetry and a transcript.
        case both
        /// Only the machine's agent. Of sums of plain chats.
        case agent
        case none
    }

    public enum Confidence: String, Sendable, CaseIterable {
        case exact
        /// No less than this was used.
        case lowerBound = "lower_bound"
        /// The price list does not know a model.
        case estimated
        case none
    }

    public var tokens: TokenUsage
    public var cost: Double?
    public var source: Source
    public var confidence: Confidence
    /// The relative difference between the client's own sum and the sum of the requests, as a part of the higher one.
    /// Set only above 0.01.
    public var difference: Double?
    /// The usage by requests whose models have no price; `nil` if there are none.
    public var unpriced: UnpricedUsage?

    public init(
        tokens: TokenUsage = TokenUsage(),
        cost: Double? = nil,
        source: Source = .none,
        confidence: Confidence = .none,
        difference: Double? = nil
    ) {
        self.tokens = tokens
        self.cost = cost
        self.source = source
        self.confidence = confidence
        self.difference = difference
    }
}

extension TokenUsage {
    /// The total shown to clients. Cache tokens are shown separately.
    public var shownTotal: Int64 { input + output }
}
