internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
internal import Transcripts

/// A page of a session's conversation: its prompts and the final answers of its turns.
struct MessageListing {
    let database: any StoreAccess
    let clock: @Sendable () -> Timestamp

    func answer(_ request: RouteRequest, sessionID: String) async throws(APIError) -> HTTPResponse {
        let view = try MessageView(request.query)
        let found = try await LogPage(
            request,
            of: database,
            sessionID: sessionID,
            types: ConversationMessage.spokenTypes
        )
        var messages = JSONWriter(reserving: 512 * (found.events.count + 1))
        var count = 0
        messages.beginArray()
        for event in found.events {
            guard let message = ConversationMessage(event), !message.blocks.isEmpty else { continue }
            view.write(message, of: sessionID, to: &messages)
            count += 1
        }
        messages.endArray()
        return ListAnswer(found.paging, request, at: clock()).response(
            view.listName,
            found.page(messages.bytes, count: count),
            members: { $0.field("session_id", sessionID) },
            meta: { found.writeMeta(count: count, to: &$0) }
        )
    }
}
