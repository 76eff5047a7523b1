internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Persistence
internal import Sessions

/// Clients of OpenAI know no session: they repeat all messages. The same messages are the same session.
extension ProjectChats {
    /// The caller's session that has the request's earlier messages. No second request gets it.
    func continued(
        _ request: ProjectRequest,
        _ target: ProjectTarget,
        by principal: Principal
    ) async -> Session? {
        guard !request.chat.history.isEmpty, let project = target.projectID else { return nil }
        let (caller, digest) = (principal.auditName, ChatRequest.digest(ofHistory: request.chat.history))
        let found = try? await chats.database.use { store throws(PersistenceError) in
            try await store.takeChatSession(of: caller, in: project, history: digest)
        }
        guard let id = found ?? nil, let session = try? await ports.session(id), session.machine == target.machine,
            !busy.contains(id), (try? requireFree(session)) != nil
        else { return nil }
        return session
    }

    /// After the answer. A session that the request named has more in it than the request's messages.
    func remember(_ turn: ProjectTurn, _ answer: String) async {
        guard turn.request.sessionID == nil, let project = turn.target.projectID else {
            try? await chats.database.use { store throws(PersistenceError) in
                try await store.forgetChatSession(turn.sessionID)
            }
            return
        }
        var messages = turn.request.chat.history
        messages.append(ChatRequest.message("user", turn.request.chat.content))
        if let answer = ChatHistory.answer(answer) { messages.append(answer) }
        let row = ChatSessionRow(
            sessionID: turn.sessionID,
            caller: turn.responder.principal.auditName,
            machine: turn.target.machine,
            projectID: project,
            history: ChatRequest.digest(ofHistory: messages),
            usedAt: chats.clock()
        )
        try? await chats.database.use { store throws(PersistenceError) in try await store.keep(row) }
    }
}
