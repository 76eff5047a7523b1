import ClientAPI
import EventModel
import JSON
import Testing

@Suite("Messages")
struct MessageListingTests {
    private let store = FakeStore(
        events: [
            Sample.message(1, "prompt", #"{"prompt":"Fix it"}"#),
            Sample.message(2, "prompt", #"{"prompt":" <task-notification>done</task-notification>"}"#),
            Sample.message(3, "stop", #"{"last_assistant_message":"Fixed."}"#),
            Sample.message(4, "stop", #"{}"#),
            Sample.message(5, "prompt", #"{"prompt_length":7}"#),
            Sample.message(6, "prompt", #"{"prompt":"go on","source":"teammate"}"#),
        ],
        sessions: [Sample.session("s1")]
    )

    @Test("prompts and answers in their order, each with who said it")
    func messages() async throws {
        let (status, page) = try await ask(.get, "/v1/sessions/s1/messages", store: store)
        #expect(status == 200)
        let messages = try #require(page["messages"]?.array)
        #expect(messages.compactMap { $0["role"]?.string } == ["user", "system", "assistant", "user", "system"])
        #expect(messages.compactMap { $0["content"]?.string }.first == "Fix it")
        #expect(messages[2]["content"] == .string("Fixed."))
        #expect(messages[3]["content"] == .string("npm test"), "without its text, the summary stands for it")
        #expect(messages[0]["timestamp"] == .string(Sample.time.description))
        #expect(page["data"] == page["messages"])
        #expect(page["next_cursor"] == .null)
        let query = await store.lastEventQuery
        #expect(query?.sessionID == "s1")
        #expect(query?.types.map(\.rawValue).sorted() == ["prompt", "stop", "stop_failure"])
    }

    @Test("pages go on behind turns that said nothing")
    func pages() async throws {
        var roles: [String] = []
        var cursor = ""
        for _ in 0..<6 {
            let query = "limit=1" + (cursor.isEmpty ? "" : "&cursor=\(cursor)")
            let (_, page) = try await ask(.get, "/v1/sessions/s1/messages", query: query, store: store)
            roles += page["messages"]?.array?.compactMap { $0["role"]?.string } ?? []
            cursor = page["next_cursor"]?.string ?? ""
        }
        #expect(roles.count == 5)
        #expect(cursor.isEmpty)
    }

    @Test("of no session there are none")
    func none() async throws {
        #expect(try await ask(.get, "/v1/sessions/s2/messages", store: store).0 == 404)
    }
}
