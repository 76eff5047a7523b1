/// The tokens of one or many API requests, by the five rates at which they are charged. Each count is limited to
/// 0...`TokenUsage.maximum`, so that no sender can make a sum overflow.
public struct RequestTokens: Sendable, Equatable {
    public private(set) var input: Int64
    public private(set) var output: Int64
    public private(set) var cacheRead: Int64
    /// Written to a cache that lives for five minutes.
    public private(set) var cacheWrite5m: Int64
    /// Written to a cache that lives for an hour.
    public private(set) var cacheWrite1h: Int64

    public init(
        input: Int64 = 0,
        output: Int64 = 0,
        cacheRead: Int64 = 0,
        cacheWrite5m: Int64 = 0,
        cacheWrite1h: Int64 = 0
    ) {
        func bounded(_ count: Int64) -> Int64 { min(max(count, 0), TokenUsage.maximum) }
        self.input = bounded(input)
        self.output = bounded(output)
        self.cacheRead = bounded(cacheRead)
        self.cacheWrite5m = bounded(cacheWrite5m)
        self.cacheWrite1h = bounded(cacheWrite1h)
    }

    public var cacheWrite: Int64 { cacheWrite5m + cacheWrite1h }
    /// The number of tokens that the model reads, which determines the price tier.
    public var prompt: Int64 { input + cacheRead + cacheWrite }
    public var total: Int64 { prompt + output }

    public var usage: TokenUsage {
        TokenUsage(input: input, output: output, cacheRead: cacheRead, cacheCreation: cacheWrite)
    }

    public static func + (left: RequestTokens, right: RequestTokens) -> RequestTokens {
        RequestTokens(
            input: left.input + right.input,
            output: left.output + right.output,
            cacheRead: left.cacheRead + right.cacheRead,
            cacheWrite5m: left.cacheWrite5m + right.cacheWrite5m,
            cacheWrite1h: left.cacheWrite1h + right.cacheWrite1h
        )
    }
}
