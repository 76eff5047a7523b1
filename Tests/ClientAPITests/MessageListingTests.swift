import APISamples
import DatabaseSamples
import EventModel
import JSON
import Testing

@Suite("Messages")
struct MessageListingTests {
    private func makeStore() async throws -> TestStore {
        var events = [
            Sample.message(1, "UserPromptSubmit", #"{"prompt":"Fix it"}"#),
            Sample.message(2, "UserPromptSubmit", #"{"prompt":" <task-notification>done</task-notification>"}"#),
            Sample.message(3, "Stop", #"{"last_assistant_message":"Fixed."}"#),
            Sample.message(4, "Stop", #"{}"#),
            Sample.message(5, "UserPromptSubmit", #"{"prompt_length":7}"#),
            Sample.message(6, "UserPromptSubmit", #"{"prompt":"go on","source":"teammate"}"#),
            Sample.message(7, "StopFailure", #"{"last_assistant_message":"Cut off."}"#),
            // What is no message of the session.
            Sample.event(8),
            Sample.message(9, "SubagentStop", #"{"last_assistant_message":"Looked."}"#),
            Sample.message(10, "UserPromptSubmit", #"{"prompt":"Hello"}"#, in: "s2"),
        ]
        events[4].summary = "npm test"
        return try await Sample.store(events)
    }

    @Test("prompts and answers in their order, each with who said it")
    func messages() async throws {
        let (status, page) = try await makeStore().routes.get("/v1/sessions/s1/messages")
        #expect(status == 200)
        let messages = try #require(page["messages"]?.array)
        #expect(
            messages.compactMap { $0["role"]?.string } == [
                "user", "system", "assistant", "user", "system", "assistant",
            ]
        )
        #expect(messages.compactMap { $0["content"]?.string }.first == "Fix it")
        #expect(messages[2]["content"] == .string("Fixed."))
        #expect(messages[3]["content"] == .string("npm test"), "without its text, the summary stands for it")
        #expect(messages[5]["content"] == .string("Cut off."))
        #expect(messages[0]["timestamp"] == .string(Sample.time.description))
        #expect(page["data"] == page["messages"])
        #expect(page["next_cursor"] == .null)
    }

    @Test("pages go on behind turns that said nothing")
    func pages() async throws {
        let routes = try await makeStore().routes
        var roles: [String] = []
        var cursor = ""
        for _ in 0..<7 {
            let query = "limit=1" + (cursor.isEmpty ? "" : "&cursor=\(cursor)")
            let page = try await routes.get("/v1/sessions/s1/messages", query).body
            roles += page["messages"]?.array?.compactMap { $0["role"]?.string } ?? []
            cursor = page["next_cursor"]?.string ?? ""
        }
        #expect(roles.count == 6)
        #expect(cursor.isEmpty)
    }

    @Test("of no session there are none")
    func none() async throws {
        #expect(try await makeStore().routes.get("/v1/sessions/s3/messages").status == 404)
    }
}
