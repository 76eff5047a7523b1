import APISamples
import EventModel
import JSON
import Testing

@testable import Usage

@Suite("Model routes")
struct ModelRoutesTests {
    private static let now = Timestamp(microseconds: 1_767_607_200_000_000)

    private let routes = ModelRoutes(prices: .standard, clock: { ModelRoutesTests.now }).routes

    @Test("models are listed as OpenAI-style clients expect, and found by id, alias and with a context mark")
    func models() async throws {
        let list = try await routes.get("/v1/models", by: .admin).body
        #expect(list["object"] == .string("list"))
        #expect(list["data"]?.array?.count == PriceList.standard.models.count)
        #expect(list["data"]?.array?.allSatisfy { $0["created"]?.integer != nil } == true)
        let dated = try await routes.get("/v1/models/claude-3-5-haiku-20241022", by: .admin).body
        #expect(dated["created"] == .integer(1_729_555_200))
        #expect(dated["context_window"] == .integer(200_000))
        for name in ["opus", "claude-opus-5-5", "claude-opus-5-5%5B1m%5D"] {
            #expect(try await routes.get("/v1/models/\(name)", by: .admin).body["id"] == .string("claude-opus-5-5"))
        }
        let (status, error) = try await routes.get("/v1/models/gpt-4", by: .admin)
        #expect(status == 404)
        #expect(error["code"] == .string("model_not_found"))
    }

    @Test("capabilities are not taken for a model's id")
    func capabilities() async throws {
        let (status, found) = try await routes.get("/v1/models/capabilities", by: .admin)
        #expect(status == 200)
        #expect(found["models"] == found["data"])
        let haiku = found["models"]?.array?.first { $0["id"] == .string("claude-haiku-5-5") }
        #expect(haiku?["pricing"]?["per_million"]?["long_prompt"]?["input"] == .number(0.5))
        #expect(haiku?["pricing"]?["per_million"]?["cache_read"] == .number(0.01))
        #expect(haiku?["pricing"]?["per_tokens"] == .integer(1000))
        #expect(haiku?["pricing"]?["long_prompt"]?["input"] == .number(0.0005))
        #expect(haiku?["pricing"]?["cache_read"] == .number(0.00001))
    }

    @Test("a list without a cursor is whole, or a page of it")
    func whole() async throws {
        let all = try await routes.get("/v1/models", by: .admin).body
        let count = try #require(all["data"]?.array?.count)
        #expect(all["meta"]?["total"] == .null && all["has_more"] == .bool(false))
        #expect(all["links"]?["first"] == .string("/v1/models"))
        let page = try await routes.get("/v1/models", "page=2&per_page=5", by: .admin).body
        #expect(page["data"]?.array?.first == all["data"]?.array?[5])
        #expect(page["pagination"]?["total_items"]?.integer == Int64(count))
        #expect(page["next_cursor"] == .null && page["pagination"]?["has_next"] == .bool(true))
    }
}
