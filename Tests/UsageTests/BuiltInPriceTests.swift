import Testing

@testable import Usage

@Suite("Models")
struct BuiltInPriceTests {
    @Test("ids and aliases are unique, prices in the order of their days and all above zero")
    func table() {
        #expect(PriceList.standard.models.count == 25)
        let names = PriceList.standard.models.flatMap { [$0.id] + $0.aliases }
        #expect(Set(names).count == names.count)
        for model in PriceList.standard.models {
            #expect(!model.prices.isEmpty)
            let days = model.prices.map { $0.effectiveFrom ?? "" }
            #expect(days == days.sorted())
            for price in model.prices {
                for rates in [price.rates, price.longPrompt?.rates].compactMap({ $0 }) {
                    #expect(rates.cacheRead > 0 && rates.cacheRead < rates.input && rates.input < rates.output)
                    #expect(rates.input < rates.cacheWrite5m && rates.cacheWrite5m < rates.cacheWrite1h)
                }
            }
        }
    }

    /// Input, output, cache read, and cache writes of five minutes and an hour, as the client charges them.
    @Test(
        "each model that the client knows has its rates",
        arguments: [
            ("claude-fable-5-2", [8, 40, 0.2, 10, 16]), ("claude-mythos-5-2", [8, 40, 0.2, 10, 16]),
            ("claude-fable-5-1", [10, 50, 0.25, 12.5, 20]), ("claude-mythos-5-1", [10, 50, 0.25, 12.5, 20]),
            ("claude-fable-5", [10, 50, 1, 12.5, 20]), ("claude-mythos-5", [10, 50, 1, 12.5, 20]),
            ("claude-opus-5-5", [4, 20, 0.2, 5, 8]), ("claude-opus-5", [5, 25, 0.5, 6.25, 10]),
            ("claude-opus-4-8", [5, 25, 0.5, 6.25, 10]), ("claude-opus-4-7", [5, 25, 0.5, 6.25, 10]),
            ("claude-opus-4-6", [5, 25, 0.5, 6.25, 10]), ("claude-opus-4-5-20251101", [5, 25, 0.5, 6.25, 10]),
            ("claude-opus-4-1", [15, 75, 1.5, 18.75, 30]), ("claude-opus-4-1-20250805", [15, 75, 1.5, 18.75, 30]),
            ("claude-sonnet-5-5", [2, 10, 0.1, 2.5, 4]), ("claude-sonnet-5", [2, 10, 0.2, 2.5, 4]),
            ("claude-sonnet-4-6", [3, 15, 0.3, 3.75, 6]), ("claude-sonnet-4-5-20250929", [3, 15, 0.3, 3.75, 6]),
            ("claude-haiku-5-5", [0.1, 0.5, 0.01, 0.125, 0.2]), ("claude-haiku-4-5-20251001", [1, 5, 0.1, 1.25, 2]),
            ("claude-3-5-haiku-20241022", [0.8, 4, 0.08, 1, 1.6]),
        ]
    )
    func rates(id: String, expected: [Double]) throws {
        let rates = try #require(PriceList.standard.model(id)?.price(on: "2026-11-21")?.rates)
        #expect([rates.input, rates.output, rates.cacheRead, rates.cacheWrite5m, rates.cacheWrite1h] == expected)
        #expect(PriceList.standard.model("us.anthropic.\(id)-v1:0")?.id == PriceList.standard.model(id)?.id)
    }

    @Test("the price is the day's")
    func price() throws {
        let model = try #require(PriceList.standard.model("sonnet"))
        #expect(model.price(on: "2026-10-06")?.rates.cacheRead == 0.2)
        #expect(model.price(on: "2026-10-07")?.rates.cacheRead == 0.1)
        #expect(PriceList.standard.model("fable")?.price(on: "2020-01-01")?.rates.input == 8)
    }

    @Test(
        "names",
        arguments: [
            ("claude-3-5-haiku-20241022", "Claude Haiku 3.5"), ("claude-opus-4-5-20251101", "Claude Opus 4.5"),
            ("claude-fable-5-2", "Claude Fable 5.2"), ("claude-sonnet-5", "Claude Sonnet 5"),
        ]
    )
    func name(id: String, name: String) {
        #expect(PriceList.standard.model(id)?.name == name)
    }

    @Test(
        "a day behind a name is passed over, and the family has none",
        arguments: [
            ("claude-3-5-haiku-20241022", "claude-haiku-3.5"), ("claude-3-5-haiku-20991231", "claude-haiku-3.5"),
            ("claude-opus-4-20250514", "claude-opus-4"), ("claude-sonnet-4-20250514", "claude-sonnet-4"),
            ("claude-opus-4-7-20260416", "claude-opus-4.7"), ("claude-3-haiku", "claude-haiku-3"),
        ]
    )
    func family(id: String, family: String) {
        #expect(PriceList.standard.model(id)?.family == family)
        #expect(PriceList.standard.model("claude-none-20250514") == nil)
        #expect(PriceList.standard.model("-20250514") == nil)
    }
}
