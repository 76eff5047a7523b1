import EventModel
import JSON
import Testing

@testable import ClientAPI

@Suite("Models")
struct ModelTableTests {
    @Test("ids and aliases are unique, prices in the order of their days and all above zero")
    func table() {
        let names = ModelTable.all.flatMap { [$0.id] + $0.aliases }
        #expect(Set(names).count == names.count)
        for model in ModelTable.all {
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

    @Test("the price is the day's")
    func price() throws {
        let model = try #require(ModelTable.model("sonnet"))
        #expect(model.price(on: "2026-10-06")?.rates.cacheRead == 0.2)
        #expect(model.price(on: "2026-10-07")?.rates.cacheRead == 0.1)
        #expect(ModelTable.model("fable")?.price(on: "2020-01-01")?.rates.input == 8)
    }

    @Test(
        "names",
        arguments: [
            ("claude-3-5-haiku-20241022", "Claude Haiku 3.5"), ("claude-opus-4-5-20251101", "Claude Opus 4.5"),
            ("claude-fable-5-2", "Claude Fable 5.2"), ("claude-sonnet-5", "Claude Sonnet 5"),
        ]
    )
    func name(id: String, name: String) {
        #expect(ModelTable.model(id)?.name == name)
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
        #expect(ModelTable.model(id)?.family == family)
        #expect(ModelTable.model("claude-none-20250514") == nil)
        #expect(ModelTable.model("-20250514") == nil)
    }

    @Test("models are listed as OpenAI-style clients expect, and found by id, alias and with a context mark")
    func routes() async throws {
        let (_, list) = try await ask(.get, "/v1/models")
        #expect(list["object"] == .string("list"))
        #expect(list["data"]?.array?.count == ModelTable.all.count)
        #expect(list["data"]?.array?.allSatisfy { $0["created"]?.integer != nil } == true)
        let (_, dated) = try await ask(.get, "/v1/models/claude-3-5-haiku-20241022")
        #expect(dated["created"] == .integer(1_729_555_200))
        #expect(dated["context_window"] == .integer(200_000))
        for name in ["opus", "claude-opus-5-5", "claude-opus-5-5%5B1m%5D"] {
            #expect(try await ask(.get, "/v1/models/\(name)").1["id"] == .string("claude-opus-5-5"))
        }
        let (status, error) = try await ask(.get, "/v1/models/gpt-4")
        #expect(status == 404)
        #expect(error["code"] == .string("model_not_found"))
    }

    @Test("capabilities are not taken for a model's id")
    func capabilities() async throws {
        let (status, found) = try await ask(.get, "/v1/models/capabilities")
        #expect(status == 200)
        #expect(found["models"] == found["data"])
        let haiku = found["models"]?.array?.first { $0["id"] == .string("claude-haiku-5-5") }
        #expect(haiku?["pricing"]?["per_million"]?["long_prompt"]?["input"] == .number(0.5))
        #expect(haiku?["pricing"]?["per_million"]?["cache_read"] == .number(0.01))
        #expect(haiku?["pricing"]?["per_tokens"] == .integer(1000))
        #expect(haiku?["pricing"]?["long_prompt"]?["input"] == .number(0.0005))
        #expect(haiku?["pricing"]?["cache_read"] == .number(0.00001))
    }
}
