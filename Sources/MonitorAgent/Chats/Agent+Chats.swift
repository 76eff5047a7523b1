internal import ClaudeRunner
internal import JSON
internal import MachinePolicy
internal import Masking

/// Plain chats: turns of clients that have no tools, no files and no conversation on disk.
extension Agent {
    /// Runs one turn. Its text is told as it is written.
    func chat(_ chat: AgentCommand.Chat, _ command: AgentCommand) async throws -> JSONValue {
        let file = check().file
        try file.requireUsable()
        guard file.chat else { throw CommandRefusal(.notAllowed, "The machine's file agent says chat=off.") }
        let id = command.sessionID
        guard chats[id] == nil else { throw CommandRefusal(.alreadyRunning, "The chat is being answered.") }
        guard chats.count + startingChats < file.chats else {
            throw CommandRefusal(.tooManyChats, "The machine answers \(file.chats) chats at a time.")
        }
        let program = try self.program(file)
        startingChats += 1
        let process: ChatProcess
        do throws(ClaudeStartError) {
            defer { startingChats -= 1 }
            process = try await ChatProcess.start(start(of: chat, id, program, file))
        } catch {
            throw Agent.refusal(error)
        }
        chats[id] = process
        defer { chats[id] = nil }
        for await event in process.events {
            switch event {
            case .text(let text): notify("chat/text", .object([("session_id", .string(id)), ("text", .string(text))]))
            case .ended(var end):
                if let words = end.failure?.message {
                    end.failure?.message = String(SecretMasker.masked(words).prefix(1000))
                }
                return end.json
            }
        }
        throw CommandRefusal(.failed, "The chat has ended.")
    }

    private func start(
        of chat: AgentCommand.Chat,
        _ id: String,
        _ program: String,
        _ file: AgentFile
    ) -> ChatStart {
        ChatStart(
            id: id,
            directory: SmallFile.realPath(places.chatRoom) ?? places.chatRoom,
            model: chat.model,
            effort: chat.effort,
            systemPrompt: chat.systemPrompt,
            history: chat.history,
            content: chat.content,
            mostTokens: chat.mostTokens,
            stopSequences: chat.stopSequences,
            executable: program,
            environment: childEnvironment(file),
            stateDirectory: places.chats + "/" + id
        )
    }

    /// Ends a turn. Returns false if there is none.
    func endChat(_ id: String) async -> JSONValue {
        await chats[id]?.interrupt()
        return .object([("ended", .bool(chats[id] != nil))])
    }

    /// Nobody receives the texts any more.
    func endChats() async {
        for chat in chats.values { await chat.interrupt() }
    }

    /// Ends all turns, and waits for the ends of their clients.
    func awaitChatEnds() async {
        await endChats()
        for _ in 0..<100 where !OwnFile.names(in: places.chats).isEmpty {
            try? await Task.sleep(for: .milliseconds(50))
        }
        await endLeftChats()
    }

    /// Ends the clients that an earlier agent has left, or that do not end when asked.
    func endLeftChats() async {
        for id in OwnFile.names(in: places.chats) where ClaudeStart.isSessionID(id) {
            let place = places.chats + "/" + id
            _ = await ClaudeSession.endClient(stateDirectory: place)
            ClaudeSession.removeFiles(stateDirectory: place)
        }
    }
}
