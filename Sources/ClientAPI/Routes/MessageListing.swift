internal import EventModel
internal import HTTPModel
internal import JSON

/// A page of a session's conversation: its prompts and the answers that ended its turns.
struct MessageListing {
    private static let types: Set<EventType> = [
        .prompt, EventType(rawValue: "stop"), EventType(rawValue: "stop_failure"),
    ]

    let store: any EventStore

    func answer(_ parameters: QueryParameters, sessionID: String) async throws(APIError) -> HTTPResponse {
        let bounds = try await store.bounds()
        var query = try EventListing.query(parameters, epoch: bounds.epoch)
        query.sessionID = sessionID
        query.types = MessageListing.types
        let limit = query.limit
        query.limit = limit + 1
        let page = try await store.events(query)
        let events = page.events.prefix(limit)
        let hasMore = page.events.count > limit || !page.isComplete

        var messages = JSONWriter(reserving: 512 * (events.count + 1))
        var count = 0
        messages.beginArray()
        for event in events {
            guard let message = Message(event) else { continue }
            message.write(to: &messages)
            count += 1
        }
        messages.endArray()
        var writer = JSONWriter(reserving: 2 * messages.bytes.count + 256)
        writer.beginObject()
        writer.field("object", "list")
        writer.field("session_id", sessionID)
        writer.field("messages", json: messages.bytes)
        writer.field("data", json: messages.bytes)
        if hasMore, let last = events.last {
            writer.field("next_cursor", "\(bounds.epoch):\(last.seq)")
        } else {
            writer.null("next_cursor")
        }
        writer.field("has_more", hasMore)
        writer.beginObject("meta")
        writer.field("count", count)
        writer.field("limit", limit)
        writer.field("order", query.isDescending ? "desc" : "asc")
        writer.endObject()
        writer.endObject()
        return .json(writer.bytes)
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
