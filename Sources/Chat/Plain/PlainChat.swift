internal import EventModel
internal import HTTPModel
internal import Persistence
package import Sessions

/// A plain chat as a session: a record of its turns.
package struct PlainChat: Sendable {
    package var session: Session
    /// Who chats, as the audit log names principals.
    var caller: String

    var isRunning: Bool { session.state == .running }
}

/// What is stored of a plain chat when a turn of it begins.
struct PlainChatBeginning: Sendable {
    /// The id of the session.
    var id: String
    /// `nil` if texts are not kept.
    var title: String?
    /// The number of messages of the request, if the chat is new.
    var messageCount: Int64
    /// The new messages, as lines of a transcript. Empty if texts are not kept.
    var lines: [String] = []
}

/// What is stored of a plain chat when a turn of it has ended.
struct PlainChatEnding: Sendable {
    /// The session id of the process that answered, as the machine reports it.
    var clientID: String?
    /// SHA-256 of all messages with the answer; `nil` if there is no answer.
    var history: [UInt8]?
    /// The answer as a line of a transcript; `nil` if texts are not kept.
    var line: String?
}

extension ChatService {
    /// The caller's chat whose messages are the request's earlier ones.
    ///
    /// - Returns: the id of the session; `nil` for a chat that is new.
    func continued(_ request: ChatRequest, of caller: String) async throws(APIError) -> String? {
        guard !request.history.isEmpty else { return nil }
        let digest = ChatRequest.digest(ofHistory: request.history)
        return try await database.use { store throws(PersistenceError) in
            try await store.plainChat(of: caller, history: digest)
        }
    }

    /// A plain chat that the caller may end and ask about: the caller's own, or any if the caller may administer.
    /// Returns `nil` if there is none with this id. Callers who may not read sessions do not learn that it exists.
    func plainChat(_ id: String, for principal: Principal) async throws(APIError) -> PlainChat? {
        let now = clock()
        let found = try await database.use { store throws(PersistenceError) in
            try await store.plainChat(id: id, now: now)
        }
        guard let chat = found else { return nil }
        let isOwn = chat.caller == principal.auditName && principal.may(.chat)
        guard isOwn || principal.may(.administer) else {
            guard principal.may(.read) else { throw .sessionNotFound }
            throw .insufficientScope("The chat is that of another credential.")
        }
        return chat
    }

    /// Throws if the caller names its own plain chat as the session of a request, which would be a project chat.
    func refusePlain(_ id: String, of principal: Principal) async throws(APIError) {
        let now = clock()
        let found = try await database.use { store throws(PersistenceError) in
            try await store.plainChat(id: id, now: now)
        }
        guard found?.caller == principal.auditName else { return }
        throw .refused(.sessionID, "A plain chat goes on by the messages of the request. Leave out 'session_id'.")
    }

    /// Ends the turns that run in a chat, and the process that waits for the results of its calls.
    func stop(_ chat: PlainChat) async throws(APIError) {
        let id = chat.session.id
        let running = runs.running(in: id)
        for run in running { await run.end() }
        for entry in parkedChats.takeAll(of: id) { await entry.end() }
        if running.isEmpty, chat.isRunning { throw ChatRefusal.answeredElsewhere }
    }
}
