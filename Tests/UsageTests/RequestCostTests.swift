import EventModel
import Testing

@testable import Usage

private func request(_ model: String?, _ change: (inout RequestUsage) -> Void = { _ in }) -> RequestUsage {
    var request = RequestUsage(
        source: .transcript,
        at: Timestamp(microseconds: 1_795_687_201_000_000),
        tokens: RequestTokens(input: 1_000_000)
    )
    request.model = model
    change(&request)
    return request
}

private func cost(_ model: String?, _ change: (inout RequestUsage) -> Void = { _ in }) -> Double {
    (RequestCost(request(model, change), by: .standard).dollars * 1e6).rounded() / 1e6
}

/// The expected figures are those that Claude Code 2.1.332 counts; `Tests/claude/prices.py` asks it.
@Suite("The cost of a request")
struct RequestCostTests {
    @Test(
        "a model is found by the names of providers and gateways",
        arguments: [
            "anthropic/claude-sonnet-4.5", "claude-sonnet-4.5", "vertex_ai/claude-sonnet-4-5@20250929",
            "anthropic/claude-sonnet-4-5-20250929", "databricks-claude-sonnet-4-5", "claude-sonnet-4-5[1m]",
            "us.anthropic.claude-sonnet-4-5-20250929-v1:0", "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "global.anthropic.claude-sonnet-4-5-20250929-v1:0", "us-gov.anthropic.claude-sonnet-4-5-20250929-v1:0",
            "anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5@20250929", "Claude-Sonnet-4-5",
            "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20991231",
            "claude-sonnet-4-5-latest", "openrouter/anthropic/claude-sonnet-4.5", "claude-sonnet-4.5[1m]",
            "claude-3-7-sonnet-20250219", "claude-3-7-sonnet-latest", "claude-3.7-sonnet",
            "claude-3-5-sonnet-20241022", "claude-3-5-sonnet-v2@20241022", "claude-3-5-sonnet-20240620",
            "us.anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-sonnet-4-0", "claude-sonnet-4-20250514",
            "claude-sonnet-4@20250514", "claude-sonnet-4-6", "my-claude-sonnet-4-6-proxy",
        ]
    )
    func names(name: String) {
        #expect(cost(name) == 3)
        #expect(!RequestCost(request(name), by: .standard).isUnpriced)
    }

    @Test(
        "each version has its own price",
        arguments: [
            ("claude-opus-4-0", 15), ("claude-opus-4-1-20250805", 15), ("claude-opus-4-5", 5), ("opus", 4),
            ("claude-opus-5.5", 4), ("claude-opus-5", 5), ("claude-3-5-haiku-latest", 0.8), ("claude-haiku-4.5", 1),
            ("x/claude-opus-4@20250514", 15), ("claude-fable-5.2[1m]", 8), ("proxy-claude-opus-4-8", 5),
        ]
    )
    func versions(name: String, dollars: Double) { #expect(cost(name) == dollars) }

    @Test(
        "a model without a price costs the client's guess, and is said to have none",
        arguments: ["gpt-5", "claude-opus-4-9", "claude-opus-6", "glm-4.6", "my-claude-opus-4-9", "claude", nil]
    )
    func unpriced(name: String?) {
        #expect(
            RequestCost(request(name), by: .standard)
                == RequestCost(request("claude-opus-5-5"), by: .standard, guessed: true)
        )
    }

    @Test(
        "fast answers have rates of their own",
        arguments: [
            ("claude-opus-4-6", 180), ("claude-opus-4-7", 180), ("claude-opus-4-8", 60), ("claude-opus-5", 60),
            ("claude-opus-5-5", 48), ("claude-fable-5-2", 96), ("claude-sonnet-5", 12), ("gpt-5", 24),
        ]
    )
    func fast(name: String, dollars: Double) {
        let found = cost(name) {
            $0.speed = "fast"
            $0.tokens = RequestTokens(input: 1_000_000, output: 1_000_000)
        }
        #expect(found == dollars)
    }

    @Test("the place of the model makes tokens dearer and searches not; a service tier changes nothing")
    func modifiers() {
        let inUnitedStates = cost("claude-sonnet-5") { $0.geography = "us" }
        let anywhere = cost("claude-sonnet-5") { $0.geography = "global" }
        let searching = cost("claude-sonnet-5") { ($0.geography, $0.webSearches) = ("us", 3) }
        let inBatch = cost("claude-sonnet-5") { $0.serviceTier = "batch" }
        #expect([inUnitedStates, anywhere, searching, inBatch] == [2.2, 2, 2.23, 2])
    }

    @Test("each prompt of a request has the rates of its own length")
    func iterations() {
        let whole = RequestTokens(input: 60_000, output: 100, cacheRead: 60_000)
        let parts = [RequestTokens(input: 60_000, output: 50), RequestTokens(output: 50, cacheRead: 60_000)]
        let long = cost("claude-haiku-5-5") { $0.tokens = whole }
        let short = cost("claude-haiku-5-5") { ($0.tokens, $0.iterations) = (whole, parts) }
        #expect([long, short] == [0.03325, 0.00665])
    }
}

extension RequestCost {
    /// The same cost, as a guess.
    fileprivate init(_ request: RequestUsage, by prices: PriceList, guessed: Bool) {
        self.init(request, by: prices)
        isUnpriced = guessed
    }
}
