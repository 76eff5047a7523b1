package import API
internal import Audit
package import EventModel
internal import JSON
internal import Persistence

extension Feature {
    /// Messages to sessions, and interruptions.
    package static func messages(_ service: MessageService, clock: @escaping @Sendable () -> Timestamp) -> Feature {
        var feature = Feature("messages")
        feature.routes = MessageRoutes(service: service, clock: clock).routes + PosterRoutes(service: service).routes
        feature.schemas = JSONSchema.messages
        feature.erasure = [
            ErasureStep([
                Statement("erase_messages", "DELETE FROM session_messages t WHERE \(isErased)"),
                Statement("erase_posters", "DELETE FROM session_posters t WHERE \(isErased)"),
            ])
        ]
        feature.run = { await service.run() }
        return feature
    }

    private static let isErased = """
        EXISTS (SELECT FROM erased_sessions s
            WHERE t.machine_id = s.machine_id AND t.session_id IN (s.session_id, s.claude_id))
        """
}
