package import API
internal import JSON

/// What a person sends to a session that an agent runs.
package struct AgentMessage: Sendable {
    package enum Body: Sendable {
        case text(String)
        /// A slash command.
        case command(String)
        /// Ends the turn.
        case interruption(cancelsQueued: Bool)
    }

    package let sessionID: String
    /// The UUID of the message. Claude Code ignores a message whose UUID it knows.
    package let id: String
    package let body: Body
    package let by: Actor
    /// The pictures of a text, which the agent has before the message.
    let uploads: [AgentUpload]

    package init(sessionID: String, id: String, _ body: Body, images: [MessageImage], by actor: Actor) {
        (self.sessionID, self.id, self.body, by) = (sessionID, id, body, actor)
        let name = AgentUpload.name(of: id, in: sessionID)
        uploads = images.enumerated().map { AgentUpload(id: "\(name)-\($0)", image: $1) }
    }

    var command: AgentCommand {
        switch body {
        case .text(let text): send(text, as: nil)
        case .command(let text): send(text, as: "command")
        case .interruption(let cancelsQueued):
            AgentCommand(
                "session/interrupt",
                id: id,
                by: by,
                [("session_id", .string(sessionID)), ("cancel_queued", cancelsQueued ? .bool(true) : nil)]
            )
        }
    }

    private func send(_ text: String, as form: String?) -> AgentCommand {
        AgentCommand(
            "session/send",
            id: id,
            by: by,
            [
                ("session_id", .string(sessionID)), ("message_id", .string(id)), ("content", .string(text)),
                ("as", form.map(JSONValue.string)),
                ("images", uploads.isEmpty ? nil : .array(uploads.map(\.reference))),
            ]
        )
    }
}
