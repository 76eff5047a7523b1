internal import Agents
internal import Chat
internal import EventModel
internal import HTTPModel
internal import Masking
internal import Persistence
internal import Serving
internal import Settings

extension Services {
    /// Seconds for which a machine may answer a chat.
    private static let chatSeconds = 3600.0

    static func chats(
        _ agents: AgentService,
        _ database: Database,
        _ configuration: Configuration,
        _ isAdmitted: @escaping @Sendable (Principal) -> Bool,
        _ clock: @escaping @Sendable () -> Timestamp
    ) -> ChatService {
        let ports = ChatService.Ports(
            allowed: { machine in agents.chatsAllowed(on: machine) },
            answer: { turn, machine, onText throws(APIError) in
                if let results = turn.results {
                    return try await agents.proceed(
                        turn.chatID,
                        results,
                        on: machine,
                        by: turn.actor,
                        seconds: chatSeconds,
                        onText: onText
                    )
                }
                return try await agents.answer(
                    AgentChat(turn),
                    on: machine,
                    by: turn.actor,
                    seconds: chatSeconds,
                    onText: onText
                )
            },
            end: { turn, machine in
                for id in Set([turn.chatID, turn.id]) { await agents.endChat(id, on: machine, by: turn.actor) }
            },
            isAdmitted: isAdmitted
        )
        return ChatService(
            database: database,
            ports: ports,
            machines: configuration.chatMachines,
            keepsAnswers: configuration.contentPolicy != .none,
            clock: clock
        )
    }
}

extension AgentChat {
    fileprivate init(_ turn: ChatService.Turn) {
        let request = turn.request
        self.init(
            id: turn.chatID,
            model: request.model,
            effort: request.effort,
            systemPrompt: request.systemPrompt,
            history: request.history,
            content: request.content,
            mostTokens: request.mostTokens,
            stopSequences: request.stopSequences
        )
        (functions, choice, schema) = (request.functions.list, request.functions.choice, request.schema)
    }
}
