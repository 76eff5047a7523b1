internal import API
internal import Access
internal import Agents
internal import Chat
internal import ClientAPI
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Messages
internal import Persistence
internal import Serving
internal import Sessions

extension Services {
    /// Seconds for which a turn may run: people may be asked in it.
    private static let turnSeconds = 86_400.0

    static func projectChats(
        _ chats: ChatService,
        _ agents: AgentService,
        _ messages: MessageService,
        _ shared: SharedServices
    ) -> ProjectChats {
        let (database, clock, authenticator) = (shared.database, shared.clock, shared.authenticator)
        let ports = ProjectPorts(
            session: { id throws(APIError) in
                let found = try await database.use { store throws(PersistenceError) in
                    try await store.sessionWithEvidence(id: id, now: clock())
                }
                guard let found else { throw .sessionNotFound }
                return found
            },
            activity: { agents.links.session($0, on: $1)?.activity },
            model: { agents.links.session($0, on: $1)?.model },
            isConnected: { agents.links.link(of: $0) != nil },
            open: { opening, responder throws(APIError) in
                try await agents.start(SessionStart(opening), by: responder)
            },
            limitTools: { limits, isLenient, session, responder throws(APIError) in
                try await agents.limitTools(
                    of: session,
                    servers: limits.servers,
                    tools: limits.tools,
                    isLenient: isLenient,
                    by: responder
                )
            },
            discard: { session, responder in
                await Services.discard(session, agents, database, by: responder)
            },
            setModel: { model, session, responder throws(APIError) in
                try await agents.set(session, mode: nil, model: model, by: responder)
            },
            send: { message, session, responder throws(APIError) in
                try await messages.sendFirst(
                    message.text,
                    id: message.id,
                    images: message.images,
                    to: session,
                    by: responder
                )
            },
            isDropped: { await messages.isDropped($0, of: $1) },
            follow: { message, session, responder, onStep throws(APIError) in
                try await agents.follow(message, in: session, by: responder, seconds: turnSeconds) { step in
                    if let step = step.chatStep { onStep(step) }
                }
            },
            unfollow: { await agents.unfollow($0, in: $1, by: $2) },
            interrupt: { session, responder throws(APIError) in
                _ = try await messages.interruptAndCancel(session, by: responder, needs: .control)
            },
            isAnswerable: { authenticator.hasDevice(.respond, on: $0) }
        )
        return ProjectChats(chats, ports)
    }

    private static func discard(
        _ session: Session,
        _ agents: AgentService,
        _ database: any StoreAccess,
        by responder: Responder
    ) async {
        _ = try? await agents.stop(session.id, killsLeftovers: true, by: responder)
        _ = try? await database.use { store throws(PersistenceError) in
            try await store.deleteSession(id: session.id)
        }
    }
}

extension AgentSession {
    fileprivate var activity: ProjectPorts.Activity {
        if hasTerminal { return .terminal }
        switch state {
        case .running: return .busy
        case .waiting: return .asking
        case .starting, .idle, .ended: return .idle
        }
    }
}

extension AgentTurnStep {
    /// `nil` for a step of a newer agent.
    fileprivate var chatStep: ProjectPorts.Step? {
        switch kind {
        case nil: nil
        case .ready?: .ready
        case .text?: .piece(.text(text))
        case .thinking?: .piece(.thinking(text))
        case .tool?: .piece(.tool(id: callID, name: toolName))
        case .toolEnded?: .piece(.toolEnded(id: callID, isError: isError))
        }
    }
}

extension SessionStart {
    fileprivate init(_ opening: ProjectPorts.Opening) {
        self.init()
        if opening.isNew { sessionID = opening.sessionID } else { resume = opening.sessionID }
        (machine, path) = (opening.machine, opening.directory.isEmpty ? nil : opening.directory)
        (model, effort, systemPrompt) = (opening.model, opening.effort, opening.systemPrompt)
        (mode, appendsPrompt, history) = ("default", true, opening.history)
    }
}
