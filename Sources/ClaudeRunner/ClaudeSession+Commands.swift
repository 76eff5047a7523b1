package import JSON

extension ClaudeSession {
    /// Sends a message. Returns when the pipe has it; sending the same id again is harmless.
    ///
    /// - Parameters:
    ///   - content: a text, or an array of content blocks.
    ///   - asCommand: the text is a slash command, of which few are allowed. Otherwise a leading `/` is plain text.
    ///   - isFollowed: the answer is reported as it is written.
    package func send(
        id: String,
        content: JSONValue,
        asCommand: Bool,
        isFollowed: Bool = false
    ) async throws(ClaudeError) {
        guard ClaudeStart.isMessageID(id) else { throw .invalid("the id of the message") }
        guard !isParked else { throw .notRunning }
        guard content.string != nil || content.array != nil else { throw .invalid("the content of the message") }
        let actions = try change { conversation throws(ClaudeError) in
            try conversation.send(id: id, content: content, asCommand: asCommand, isFollowed: isFollowed)
        }
        guard !actions.isEmpty else { return }
        do throws(ClaudeError) {
            try await write(id, actions)
        } catch {
            perform(try change { $0.unsent(id: id) })
            throw error
        }
    }

    /// Takes a message back. Returns false if its turn has begun.
    package func cancel(id: String) async throws(ClaudeError) -> Bool {
        let content = try await ask(.cancelMessage(id))
        return content["cancelled"]?.bool ?? false
    }

    /// Ends the turn. Returns the queued messages that were taken back; without `cancelQueued`, they run next.
    package func interrupt(cancelQueued: Bool) async throws(ClaudeError) -> [String] {
        let content = try await ask(.interrupt(cancelQueued: cancelQueued))
        return content["cancelled"]?.array?.compactMap(\.string) ?? []
    }

    /// Returns false if the prompt is no longer open.
    package func answer(prompt id: String, _ reply: PromptReply) async throws(ClaudeError) -> Bool {
        guard !conversation.hasEnded else { return false }
        let actions = try change { conversation throws(ClaudeError) in
            try conversation.answer(prompt: id, reply)
        }
        guard let actions else { return false }
        try await write(id, actions)
        return true
    }

    package func set(mode: String) async throws(ClaudeError) {
        guard ClaudeStart.modes.contains(mode) else { throw .invalid("the mode") }
        _ = try await ask(.setMode(mode))
    }

    /// - Parameter model: nil is the client's default. The client takes any name, and the next turn fails if there is
    ///   no such model.
    package func set(model: String?) async throws(ClaudeError) {
        if let model, !ClaudeStart.isModel(model) { throw .invalid("the model") }
        _ = try await ask(.setModel(model))
    }

    package func rename(_ title: String) async throws(ClaudeError) {
        _ = try await ask(.rename(title))
    }

    /// What fills the model's context, as the client tells it.
    package func contextUsage() async throws(ClaudeError) -> JSONValue {
        try await ask(.contextUsage)
    }

    /// What may be sent as a command.
    package var commands: [ClaudeCommand] { conversation.commands }

    /// Any other request of the list.
    package func request(_ request: ControlRequest) async throws(ClaudeError) -> JSONValue {
        try await ask(request)
    }

    /// Whether the client can be asked to call a tool.
    package var callsTools: Bool { conversation.callsTools }

    /// Has the client call a tool of an MCP server. The client's own rules and hooks decide, and it may ask a person.
    ///
    /// - Parameters:
    ///   - name: as the client names the tool.
    ///   - seconds: how long the call may take. Then it is taken back.
    package func callTool(
        _ name: String,
        _ arguments: JSONValue,
        seconds: Double
    ) async throws(ClaudeError) -> JSONValue {
        guard conversation.callsTools else { throw .invalid("a call to this version of Claude Code") }
        return try await ask(.callMCPTool(name: name, arguments: arguments), cancelledAfter: seconds)
    }
}
