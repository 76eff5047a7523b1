internal import API
internal import Agents
internal import EventModel
internal import HTTPModel
internal import Messages
internal import Prompts
internal import Sessions

/// The end of a session's turn at a person's request.
extension ServerContext {
    /// Seconds for which `stop` waits for its effect. Below the time that clients wait for an answer.
    private static let stopSeconds = 5.0

    /// What Escape does at the terminal: refuses what the session asks and ends its turn. Without a prompt that can be
    /// answered, the turn ends at its next tool.
    ///
    /// - Returns: the interruption, or `nil` if a prompt was refused.
    @discardableResult
    func escape(_ sessionID: String, by responder: Responder) async throws(APIError) -> SessionMessage? {
        if try await prompts.answers.refuseNewest(of: sessionID, by: responder) { return nil }
        return try await messages.interrupt(sessionID, by: responder)
    }

    /// Ends a session that an agent runs. Ends the turn of another one as `escape` does, and waits for a moment.
    ///
    /// - Returns: whether the turn has ended. If not, it ends at its next tool.
    func stop(_ sessionID: String, by responder: Responder) async throws(APIError) -> Bool {
        let session = try await messages.session(sessionID)
        if agents.links.session(sessionID, on: session.machine) != nil {
            _ = try await agents.stop(sessionID, killsLeftovers: false, by: responder)
            return true
        }
        try responder.require(on: session.machine)
        guard session.endedAt == nil, session.state != .idle, session.state != .error else { return true }
        guard let interruption = try await escape(sessionID, by: responder) else { return true }
        // It fails if the turn ended before its next tool.
        let message = try await messages.outcome(of: interruption, within: ServerContext.stopSeconds)
        return message.state != .queued && message.state != .cancelled
    }
}
