package import API
internal import JSON

/// What a person sends to a session that an agent runs.
package struct AgentMessage: Sendable {
    package let sessionID: String
    /// The UUID of the message. Claude Code ignores a message whose UUID it knows.
    package let id: String
    /// `nil` ends the turn.
    package let text: String?
    package let by: Actor

    package init(sessionID: String, id: String, text: String?, by actor: Actor) {
        (self.sessionID, self.id, self.text, by) = (sessionID, id, text, actor)
    }

    var command: AgentCommand {
        let session = ("session_id", JSONValue.string(sessionID) as JSONValue?)
        guard let text else { return AgentCommand("session/interrupt", id: id, by: by, [session]) }
        return AgentCommand(
            "session/send",
            id: id,
            by: by,
            [session, ("message_id", .string(id)), ("content", .string(text))]
        )
    }
}
