internal import Access
internal import Agents
internal import Chat
internal import EventModel
internal import HTTPModel
internal import Masking
internal import Persistence
internal import Serving
internal import Settings
internal import Usage

extension Services {
    /// Seconds for which a machine may answer a chat.
    private static let chatSeconds = 3600.0

    static func chats(
        _ agents: AgentService,
        _ shared: SharedServices,
        _ configuration: Configuration
    ) -> ChatService {
        let (authenticator, clock, prices) = (shared.authenticator, shared.clock, configuration.prices)
        let ports = ChatService.Ports(
            allowed: { machine in agents.chatsAllowed(on: machine) },
            answer: { turn, machine, onText throws(APIError) in
                let onText: AgentListeners<AgentChatText>.Receiver = { onText($0.text, $0.model) }
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
            price: { model, tokens in
                ChatPrice(
                    dollars: prices.cost(of: tokens, model: model, at: clock()),
                    isListed: model.map { prices.model($0) != nil } ?? false
                )
            },
            admits: { authenticator.current($0)?.may($1) ?? false }
        )
        return ChatService(
            database: shared.database,
            ports: ports,
            settings: ChatSettings(
                machines: configuration.chatMachines,
                keepsAnswers: configuration.contentPolicy != .none,
                keepsTexts: configuration.contentPolicy == .full,
                aliases: configuration.modelAliases,
                passesSampling: configuration.passesSampling
            ),
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
        (temperature, topP) = (request.sampling.temperature, request.sampling.topP)
    }
}
