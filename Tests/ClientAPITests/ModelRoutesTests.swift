import EventModel
import JSON
import Testing
import Usage

@testable import ClientAPI

@Suite("Model routes")
struct ModelRoutesTests {
    @Test("models are listed as OpenAI-style clients expect, and found by id, alias and with a context mark")
    func routes() async throws {
        let (_, list) = try await ask(.get, "/v1/models")
        #expect(list["object"] == .string("list"))
        #expect(list["data"]?.array?.count == PriceList.standard.models.count)
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
