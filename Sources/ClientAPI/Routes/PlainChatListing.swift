internal import Chat
internal import EventModel
internal import JSON
internal import Persistence
internal import Sessions
internal import Transcripts

extension PostgresStore {
    /// A session, or a plain chat.
    func sessionOrChat(id: String, now: Timestamp) async throws(PersistenceError) -> Session? {
        if let session = try await sessionWithEvidence(id: id, now: now) { return session }
        return try await plainChat(id: id, now: now)?.session
    }

    /// Sessions of the kind that the query names.
    func sessionsOfKind(_ query: SessionQuery) async throws(PersistenceError) -> SessionPage {
        switch query.kind {
        case .session: try await sessionsWithEvidence(query)
        case .chat: try await plainChats(query)
        }
    }

    /// A page of the conversation of a session of any kind.
    func conversation(
        _ query: ConversationQuery,
        of kind: Session.Kind
    ) async throws(PersistenceError) -> ConversationPage {
        guard kind == .chat else { return try await conversation(query) }
        let found = try await messages(
            PlainChatMessageQuery(
                chat: query.loggedID,
                after: query.after.map { ($0.at, $0.line) },
                isDescending: query.isDescending,
                offset: query.offset ?? 0,
                limit: query.limit,
                maxBytes: query.maxBytes
            )
        )
        var page = ConversationPage(
            messages: found.messages.compactMap(ConversationMessage.init),
            hasMore: found.hasMore,
            total: found.total
        )
        page.isCut = found.isCut
        return page
    }
}

extension ConversationMessage {
    fileprivate init?(_ message: PlainChatMessage) {
        guard let line = try? JSONValue.parse(message.line, maxDepth: 220) else { return nil }
        self.init(place: ConversationPlace(at: message.at, line: message.number), lines: [line])
    }
}
