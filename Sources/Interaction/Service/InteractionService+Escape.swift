internal import EventModel
package import HTTPModel
internal import JSON
internal import Persistence
internal import Sessions

/// The end of a session's turn at a person's request.
extension InteractionService {
    /// Seconds for which `stop` waits for its effect, and between two looks. Below the time that clients wait for an
    /// answer.
    private static let stopSeconds = 5.0
    private static let lookSeconds = 0.25

    /// What Escape does at the terminal: refuses what the session asks and ends its turn. Without a prompt that can be
    /// answered, the turn ends at its next tool.
    ///
    /// - Returns: the interruption, or `nil` if a prompt was refused.
    @discardableResult
    package func escape(_ sessionID: String, by responder: Responder) async throws(APIError) -> SessionMessage? {
        let kinds: Set<Prompt.Kind> = [.permission, .plan, .question, .elicitation]
        guard let asked = try await openPrompts(of: sessionID, kinds).last(where: \.isAnswerable) else {
            return try await interrupt(sessionID, by: responder)
        }
        let body: [(String, JSONValue)] =
            asked.prompt.kind == .elicitation
            ? [("action", .string("cancel"))] : [("decision", .string("deny")), ("interrupt", .bool(true))]
        _ = try await answer(asked.prompt.id, .object(body), by: responder)
        return nil
    }

    /// Ends the turn as `escape` does, and waits for a moment.
    ///
    /// - Returns: whether the turn has ended. If not, it ends at its next tool.
    package func stop(_ sessionID: String, by responder: Responder) async throws(APIError) -> Bool {
        let session = try await session(sessionID)
        try responder.require(on: session.machine)
        guard session.endedAt == nil, session.state != .idle, session.state != .error else { return true }
        guard let interruption = try await escape(sessionID, by: responder) else { return true }
        let deadline = environment.steadyClock().adding(seconds: InteractionService.stopSeconds)
        while environment.steadyClock() < deadline, !Task.isCancelled {
            let message = try await environment.database.use { store throws(PersistenceError) in
                try await store.message(id: interruption.id)
            }
            // It fails if the turn ended before its next tool.
            if let message, message.state != .queued { return message.state != .cancelled }
            try? await Task.sleep(for: .seconds(InteractionService.lookSeconds))
        }
        return false
    }
}
