package import API
internal import Persistence

extension Feature {
    /// Chats as OpenAI's clients have them.
    package static func chat(_ service: ChatService) -> Feature {
        var feature = Feature("chat")
        feature.routes = ChatRoutes(service: service).routes
        feature.schemas = ChatRoutes.schemas
        feature.retention = [
            .once(ChatStatements.forgetAnswers, .seconds(86_400)),
            .once(ChatStatements.forget, .seconds(32 * 86_400)),
        ]
        return feature
    }
}
