package import API
package import EventModel
package import HTTPModel
package import JSON

/// A turn of a chat as an agent takes it.
package struct AgentChat: Sendable {
    package var id: String
    package var model: String?
    package var effort: String?
    package var systemPrompt: String?
    /// Objects with `role` and `content`.
    package var history: [JSONValue]
    package var content: JSONValue
    package var mostTokens: Int64?
    package var stopSequences: [String]
    /// The caller's functions, each an object with `name`, `description` and `parameters`.
    package var functions: [JSONValue] = []
    /// The API's `tool_choice`.
    package var choice: JSONValue?
    /// The JSON Schema of the answer.
    package var schema: JSONValue?
    package var temperature: Double?
    package var topP: Double?

    package init(
        id: String,
        model: String?,
        effort: String?,
        systemPrompt: String?,
        history: [JSONValue],
        content: JSONValue,
        mostTokens: Int64?,
        stopSequences: [String]
    ) {
        (self.id, self.model, self.effort, self.systemPrompt) = (id, model, effort, systemPrompt)
        (self.history, self.content) = (history, content)
        (self.mostTokens, self.stopSequences) = (mostTokens, stopSequences)
    }
}

extension AgentService {
    /// Has the machine answer a chat. Needs no right: the caller has checked it.
    ///
    /// - Parameter onText: called with each piece of the answer, in order, before this returns.
    /// - Returns: how the turn ended, as the agent reports it.
    package func answer(
        _ chat: AgentChat,
        on machine: MachineID,
        by actor: Actor,
        seconds: Double,
        onText: @escaping AgentListeners<AgentChatText>.Receiver
    ) async throws(APIError) -> JSONValue {
        let command = AgentCommand(
            "chat/run",
            id: newID(),
            by: actor,
            [
                ("session_id", .string(chat.id)), ("model", chat.model.map(JSONValue.string)),
                ("effort", chat.effort.map(JSONValue.string)),
                ("system_prompt", chat.systemPrompt.map(JSONValue.string)), ("history", .array(chat.history)),
                ("content", chat.content), ("max_tokens", chat.mostTokens.map(JSONValue.integer)),
                ("stop", .array(chat.stopSequences.map(JSONValue.string))),
                ("functions", chat.functions.isEmpty ? nil : .array(chat.functions)), ("tool_choice", chat.choice),
                ("schema", chat.schema), ("temperature", chat.temperature.map(JSONValue.number)),
                ("top_p", chat.topP.map(JSONValue.number)),
            ]
        )
        return try await run(command, of: chat.id, on: machine, seconds: seconds, onText)
    }

    /// Gives a chat that waits the results of all its calls. It goes on as in `answer`.
    ///
    /// - Parameter results: objects with `id` and `content`.
    package func proceed(
        _ id: String,
        _ results: [JSONValue],
        on machine: MachineID,
        by actor: Actor,
        seconds: Double,
        onText: @escaping AgentListeners<AgentChatText>.Receiver
    ) async throws(APIError) -> JSONValue {
        let members: [(String, JSONValue?)] = [("session_id", .string(id)), ("results", .array(results))]
        let command = AgentCommand("chat/continue", id: newID(), by: actor, members)
        return try await run(command, of: id, on: machine, seconds: seconds, onText)
    }

    private func run(
        _ command: AgentCommand,
        of chat: String,
        on machine: MachineID,
        seconds: Double,
        _ onText: @escaping AgentListeners<AgentChatText>.Receiver
    ) async throws(APIError) -> JSONValue {
        guard let link = links.link(of: machine) else { throw AgentRefusal.unavailable("the machine") }
        chats.add(chat, on: machine, onText)
        defer { chats.remove(chat) }
        return try await link.call(command, seconds: seconds)
    }

    /// Ends the turn of a chat; `answer` then returns.
    package func endChat(_ id: String, on machine: MachineID, by actor: Actor) async {
        guard let link = links.link(of: machine) else { return }
        let command = AgentCommand("chat/stop", id: newID(), by: actor, [("session_id", .string(id))])
        _ = try? await link.call(command, seconds: AgentService.commandSeconds)
    }

    /// The number of chats that the machine answers at a time; `nil` if its agent is not connected here.
    package func chatsAllowed(on machine: MachineID) -> Int? { links.link(of: machine)?.may.chats }
}
