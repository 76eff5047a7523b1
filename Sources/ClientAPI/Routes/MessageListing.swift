internal import EventModel
internal import HTTPModel
internal import JSON

/// A page of a session's conversation: its prompts and the answers that ended its turns.
struct MessageListing {
    private static let types: Set<EventType> = [
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
            message.write(to: &messages)
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

/// One message, as far as its event was stored: the content policy may have cut or dropped the text.
private struct Message {
    private let event: CommittedEvent
    private let role: String
    private let content: String

    /// `nil` for the end of a turn that says nothing.
    init?(_ event: CommittedEvent) {
        self.event = event
        let payload = (try? JSONValue.parse(event.event.payload)) ?? .null
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

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", event.event.id.description)
        writer.field("session_id", event.event.sessionID)
        writer.field("role", role)
        writer.field("content", content)
        writer.field("timestamp", event.event.timestamp.description)
        writer.field("created_at", event.event.timestamp.description)
        writer.field("seq", event.seq)
        writer.endObject()
    }
}
