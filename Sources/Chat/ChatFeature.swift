package import API
internal import Persistence

extension Feature {
    /// Chats as OpenAI's clients have them.
    package static func chat(_ service: ChatService, _ projects: ProjectChats) -> Feature {
        var feature = Feature("chat")
        feature.routes =
            ChatRoutes(service: service, projects: projects).routes
            + SessionRoutes(service: service, projects: projects).routes + ResponsesRoutes(service: service).routes
        feature.schemas = ChatRoutes.schemas + SessionRoutes.schemas + ResponsesRoutes.schemas
        feature.retention = [
            .once(ChatStatements.forgetAnswers, .seconds(86_400)),
            .once(ChatStatements.forget, .seconds(32 * 86_400)),
            .once(ChatStatements.forgetDigests, .seconds(32 * 86_400)),
            .once(ChatSessionStatements.forget, .seconds(32 * 86_400)),
            .once(ToolLimitStatements.forget, .seconds(400 * 86_400)),
            .once(PlainChatStatements.forgetHistory, .seconds(32 * 86_400)),
            .portions(PlainChatStatements.forgetMessages, .ofEvents()),
            .portions(PlainChatStatements.forget, .ofEvents()),
        ]
        feature.erasure = [
            ErasureStep(ChatSessionStatements.erase + [ToolLimitStatements.erase] + PlainChatStatements.erase)
        ]
        feature.run = { await service.runs.endAtStop() }
        return feature
    }
}
