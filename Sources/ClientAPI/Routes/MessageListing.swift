internal import EventModel
internal import HTTPModel
internal import JSON

/// A page of a session's conversation: its prompts and the final answers of its turns.
struct MessageListing {
    static let types: Set<EventType> = [
        .prompt, EventType(rawValue: "stop"), EventType(rawValue: "stop_failure"),
    ]

    let store: any EventStore
    let clock: @Sendable () -> Timestamp

    func answer(_ request: RouteRequest, sessionID: String) async throws(APIError) -> HTTPResponse {
        let found = try await LogPage(request, of: store, sessionID: sessionID, types: MessageListing.types)
        var messages = JSONWriter(reserving: 512 * (found.events.count + 1))
        var count = 0
        messages.beginArray()
        for event in found.events {
            guard let message = Message(event) else { continue }
            Message.shape.write(message, to: &messages)
            count += 1
        }
        messages.endArray()
        return ListAnswer(found.paging, request, at: clock()).response(
            "messages",
            found.page(messages.bytes, count: count),
            members: { $0.field("session_id", sessionID) },
            meta: { found.writeMeta(count: count, to: &$0) }
        )
    }
}

/// One message as stored. The content policy may have cut or removed the text.
struct Message {
    private let event: CommittedEvent
    let role: String
    let content: String
    /// Claude's id of the turn.
    let turnID: String?

    var time: Timestamp { event.event.timestamp }

    /// Returns `nil` for the end of a turn without text.
    init?(_ event: CommittedEvent) {
        self.event = event
        let payload = (try? JSONValue.parse(event.event.payload)) ?? .null
        turnID = payload["prompt_id"]?.string
        if event.event.type == .prompt {
            let prompt = payload["prompt"]?.string
            let isInjected = InjectedPrompt.isInjected(prompt ?? "", source: payload["source"]?.string)
            role = isInjected ? "system" : "user"
            content = prompt ?? event.event.summary
        } else {
            guard let answer = payload["last_assistant_message"]?.string, !answer.isEmpty else { return nil }
            role = "assistant"
            content = answer
        }
    }

    static let shape = ObjectShape<Message>("Message") { it in
        it.member("id") { $0.event.event.id.description }
        it.member("session_id") { $0.event.event.sessionID ?? "" }
        it.member("role", as: JSONSchema.words("user", "assistant", "system")) { $0.role }
        it.member("content") { $0.content }
        it.member("timestamp") { $0.event.event.timestamp }
        it.member("created_at") { $0.event.event.timestamp }
        it.member("seq") { $0.event.seq }
    }
}
