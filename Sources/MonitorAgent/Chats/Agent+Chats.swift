internal import ClaudeRunner
internal import JSON
internal import MachinePolicy
internal import Masking
internal import Workers

/// Plain chats: turns of clients that have no tools but the caller's functions, no files and no conversation on disk.
extension Agent {
    /// One message to the server has at most 1 MiB.
    private static let mostArgumentBytes = 256 << 10

    /// Runs one turn. Its text is told as it is written.
    func chat(_ chat: AgentCommand.Chat, _ command: AgentCommand) async throws -> JSONValue {
        let id = command.sessionID
        let present = try chatFile()
        guard chats[id] == nil, parkedChats[id] == nil else {
            throw CommandRefusal(.alreadyRunning, "The chat is being answered.")
        }
        try await enterChat(command, present)
        defer { leaveChat(id) }
        // The wait may have been long.
        let file = try chatFile()
        let program = try self.program(file)
        let start = start(of: chat, id, program, file)
        let process: ChatProcess
        do throws(ClaudeStartError) {
            process = try await begin(start)
        } catch {
            throw Agent.refusal(error)
        }
        return try await follow(process, id, parkSeconds: chat.parkSeconds) { warmUp(start.client) }
    }

    /// Gives a chat that waits the results of all its calls. It goes on as in `chat`.
    func continueChat(_ results: AgentCommand.Results, _ command: AgentCommand) async throws -> JSONValue {
        let id = command.sessionID
        let present = try chatFile()
        _ = try awaiting(id, results)
        try await enterChat(command, present)
        defer { leaveChat(id) }
        _ = try chatFile()
        let waiting = try awaiting(id, results)
        _ = parkedChats.remove(id)
        guard await waiting.process.proceed(results.contents) else {
            throw CommandRefusal(.notRunning, "The chat's process has ended.")
        }
        return try await follow(waiting.process, id, parkSeconds: results.parkSeconds)
    }

    /// The machine's file, which must allow chats, and more of them today.
    private func chatFile() throws(CommandRefusal) -> AgentFile {
        let file = check().file
        try file.requireUsable()
        guard file.chat else { throw CommandRefusal(.notAllowed, "The machine's file agent says chat=off.") }
        try requireBudget(file)
        return file
    }

    /// The chat that waits for these results.
    private func awaiting(_ id: String, _ results: AgentCommand.Results) throws(CommandRefusal) -> ParkedChats.Entry {
        guard let parked = parkedChats[id] else {
            throw CommandRefusal(.notRunning, "No chat waits for these results any more.")
        }
        guard parked.calls == Set(results.contents.keys) else {
            throw CommandRefusal(.unfit, "The chat waits for the results of other calls.")
        }
        return parked
    }

    /// Tells the text until the turn ends, or waits for the results of calls.
    ///
    /// - Parameter onFirst: called when the model has begun to answer, or the turn has ended without an answer.
    private func follow(
        _ process: ChatProcess,
        _ id: String,
        parkSeconds: Int64,
        onFirst: () -> Void = {}
    ) async throws -> JSONValue {
        chats[id] = process
        defer { chats[id] = nil }
        var isFirst = true
        var model: String?
        if startingChats.removeValue(forKey: id) == true { await process.interrupt() }
        for await event in process.events {
            if case .model(let name) = event {
                model = name
                continue
            }
            if isFirst { onFirst() }
            isFirst = false
            switch event {
            case .model: break
            case .text(let text):
                var members: [(String, JSONValue)] = [("session_id", .string(id)), ("text", .string(text))]
                if let named = model.take() { members.append(("model", .string(named))) }
                notify("chat/text", .object(members))
            case .called(let end):
                spend(end)
                guard end.calls.reduce(0, { $0 + $1.arguments.utf8.count }) <= Agent.mostArgumentBytes else {
                    await process.interrupt()
                    throw CommandRefusal(.failed, "The arguments of the model's calls are too long.")
                }
                await park(process, id, end, seconds: parkSeconds)
                return end.json(of: process)
            case .ended(var end):
                spend(end)
                if let words = end.failure?.message {
                    end.failure?.message = String(SecretMasker.masked(words).prefix(1000))
                }
                return end.json(of: process)
            }
        }
        throw CommandRefusal(.failed, "The chat has ended.")
    }

    private func park(_ process: ChatProcess, _ id: String, _ end: ChatEnd, seconds: Int64) async {
        let entry = ParkedChats.Entry(
            process: process,
            calls: Set(end.calls.map(\.id)),
            deadline: now + Double(seconds)
        )
        for excess in parkedChats.add(id, entry) { await excess.interrupt() }
        ticker.notify()
    }

    /// Ends the chats whose results did not come in time.
    func endDueChats(now: Double) async {
        for process in parkedChats.due(now: now) { await process.interrupt() }
    }

    private func start(
        of chat: AgentCommand.Chat,
        _ id: String,
        _ program: String,
        _ file: AgentFile
    ) -> ChatStart {
        var client = ChatClient(
            directory: SmallFile.realPath(places.chatRoom) ?? places.chatRoom,
            model: chat.model,
            effort: chat.effort,
            mostTokens: chat.mostTokens,
            stopSequences: chat.stopSequences,
            choice: chat.choice,
            executable: program,
            environment: childEnvironment(file)
        )
        (client.temperature, client.topP) = (chat.temperature, chat.topP)
        return ChatStart(
            id: id,
            client: client,
            systemPrompt: chat.systemPrompt,
            history: chat.history,
            content: chat.content,
            functions: chat.functions,
            schema: chat.schema
        )
    }

    /// Ends a turn. Returns false if there is none.
    func endChat(_ id: String) async -> JSONValue {
        let hadEntry = endEntry(of: id)
        let process = chats[id] ?? parkedChats.remove(id)?.process
        await process?.interrupt()
        return .object([("ended", .bool(hadEntry || process != nil))])
    }

    /// Nobody receives the texts any more, or gives results.
    func endChats() async {
        endEntries()
        await endWarmChat()
        for chat in Array(chats.values) + parkedChats.removeAll() { await chat.interrupt() }
    }

    /// Ends all turns, and waits for the ends of their clients.
    func awaitChatEnds() async {
        await endChats()
        for _ in 0..<100 where isWarming || !OwnFile.names(in: places.chats).isEmpty {
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
