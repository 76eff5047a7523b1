internal import API
package import EventModel
internal import JSON
internal import Masking
package import Sessions

/// Events that the server adds for what an agent does.
extension AgentService {
    /// What the agent reports of a session without a hook of Claude Code's.
    ///
    /// - Parameter name: makes the event's id, so that a repeated report adds nothing.
    package func event(
        of change: SessionChange,
        named name: String?,
        in session: String,
        at directory: String?,
        _ link: AgentLink
    ) -> MonitorEvent {
        let id = name.map { EventID(name: $0, machine: link.machine) }
        return event(of: change, in: session, at: directory, link, Actor(kind: "agent"), named: id)
    }

    /// The event that makes the session exist, before its first hook.
    func event(
        of start: SessionStart,
        _ id: String,
        _ started: JSONValue,
        _ link: AgentLink,
        _ actor: Actor
    ) -> MonitorEvent {
        var change = SessionChange()
        change.runner = start.isInteractive ? .terminal : .agent
        change.title = start.title
        change.permissionMode = started["mode"]?.word
        change.model = (started["model"]?.word ?? start.model).flatMap(StoredForm.word)
        return event(of: change, in: id, at: started["cwd"]?.path, link, actor)
    }

    func event(
        of change: SessionChange,
        in id: String,
        at directory: String?,
        _ link: AgentLink,
        _ actor: Actor,
        named eventID: EventID? = nil
    ) -> MonitorEvent {
        var payload = JSONWriter()
        payload.beginObject()
        payload.field("session_id", id)
        change.write(to: &payload)
        payload.key("by")
        Actor.shape.write(actor, to: &payload)
        payload.endObject()
        var random = SystemRandomNumberGenerator()
        let now = clock()
        return MonitorEvent(
            id: eventID ?? .version7(at: now, using: &random),
            type: .sessionChanged,
            hookEventName: nil,
            timestamp: now,
            receivedAt: now,
            machine: link.machine,
            machineName: link.machineName,
            sessionID: id,
            // As the hooks of the session report it.
            projectPath: directory.map(SecretMasker.masked),
            toolName: nil,
            summary: change.summary,
            payload: payload.bytes,
            facts: SessionFacts()
        )
    }
}
