package import API
package import HTTPModel
package import JSON
package import Sessions

/// The answer to one message in a session, for a program that sends it.
extension AgentService {
    /// Follows the answer to a message. The message may be sent after the step `ready`.
    ///
    /// - Parameter onStep: called with each step, in order, before this returns.
    /// - Returns: how the turn ended, as the agent reports it.
    package func follow(
        _ message: String,
        in session: Session,
        by responder: Responder,
        seconds: Double,
        onStep: @escaping AgentListeners<AgentTurnStep>.Receiver
    ) async throws(APIError) -> JSONValue {
        try require(on: session.machine, by: responder)
        let link = try driving(session)
        turns.add(message, on: session.machine, onStep)
        defer { turns.remove(message) }
        return try await link.call(command("turn/follow", message, session, responder), seconds: seconds)
    }

    /// The message will have no answer; `follow` then returns.
    package func unfollow(_ message: String, in session: Session, by responder: Responder) async {
        guard let link = links.link(of: session.machine) else { return }
        let command = command("turn/unfollow", message, session, responder)
        _ = try? await link.call(command, seconds: AgentService.commandSeconds)
    }

    private func command(
        _ method: String,
        _ message: String,
        _ session: Session,
        _ responder: Responder
    ) -> AgentCommand {
        AgentCommand(
            method,
            id: newID(),
            by: responder.actor,
            [("session_id", .string(session.id)), ("message_id", .string(message))]
        )
    }
}
