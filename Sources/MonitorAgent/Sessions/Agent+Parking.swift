internal import ClaudeRunner
internal import JSON
internal import Logging
internal import MachinePolicy
internal import RPC

/// Sessions that are idle for long: their processes end, and start again with the next message.
extension Agent {
    /// Seconds between two looks at what a person has taken.
    private static let lookSeconds = 5.0

    // MARK: Parking

    /// Returns when there is something to do next.
    func tendIdle(now: Double) -> Double? {
        let idle = Set(
            table.lines.values.filter { $0.state == .idle && !$0.isParked && !toolCalls.areIn($0.key) }.map(\.key)
        )
        idleClock.update(idle, now: now) { files.agent().idleStop }
        for key in idleClock.takeDue(now: now) where passages[key] == nil { park(key) }
        for key in parked.keys.sorted() where TakenMark.isSet(places.session(key)) {
            Task { await unpark(key, reason: "taken") }
        }
        return [idleClock.deadline, parked.isEmpty ? nil : now + Agent.lookSeconds].compactMap { $0 }.min()
    }

    private func park(_ key: String) {
        guard let session = sessions[key], files.agent().idleStop != nil else { return }
        passages[key] = Task {
            parking.insert(key)
            if await !session.park() { parking.remove(key) }
            // The session's last event follows, which makes it a parked one.
            while parking.contains(key), sessions[key] != nil { try? await Task.sleep(for: .milliseconds(10)) }
            passages[key] = nil
        }
    }

    /// The process of a session has ended, and was meant to.
    func hasParked(_ key: String) async -> Bool {
        guard parking.remove(key) != nil, let state = RunnerState.read(in: places.session(key)), state.isParked else {
            return false
        }
        await keepParked(key, state)
        return true
    }

    private func keepParked(_ key: String, _ state: RunnerState) async {
        sessions[key] = nil
        queues[key] = nil
        parked[key] = state
        record("parked", [("session_id", .string(state.conversationID))])
        await perform(table.parked(key, model: state.model))
    }

    /// What an earlier agent has parked. False if it is none.
    func adoptParked(_ key: String) async -> Bool {
        guard let state = RunnerState.read(in: places.session(key)), state.isParked,
            table.key(of: state.conversationID) == nil
        else { return false }
        let line = SessionTable.Line(
            key: key,
            id: state.conversationID,
            continues: state.continues,
            pid: 0,
            directory: state.directory,
            state: .idle,
            mode: state.mode,
            model: state.model,
            isRestricted: state.isRestricted,
            queue: [],
            isParked: true
        )
        directories[key] = SmallFile.realPath(state.directory) ?? state.directory
        parked[key] = state
        await perform(table.began(line))
        return true
    }

    private func unpark(_ key: String, reason: String) async {
        guard parked.removeValue(forKey: key) != nil else { return }
        directories[key] = nil
        record("ended", [("session_id", .string(key)), ("reason", .string(reason))])
        await perform(table.ended(key, reason: reason, code: nil, signal: nil, errors: ""))
        ClaudeSession.removeFiles(stateDirectory: places.session(key))
    }

    // MARK: Commands to parked sessions

    /// The session for a command, which wakes it if the command needs its process. `nil` if the result says all.
    func answerParked(_ command: AgentCommand, _ key: String) async throws -> JSONValue? {
        guard let state = parked[key] else { return nil }
        switch command.body {
        case .send, .set, .rewind, .limitTools:
            try await wake(key, state, for: command)
            return nil
        case .askTool:
            // No process starts for a call that the machine does not allow.
            _ = try check().runTools(directories[key] ?? state.directory)
            try await wake(key, state, for: command)
            return nil
        case .stop:
            await unpark(key, reason: "stopped")
            return .object([("exit", .object([])), ("left_running", .array([]))])
        case .cancel: return .object([("cancelled", .bool(false))])
        case .interrupt: return .object([("cancelled", .array([]))])
        case .answer: return .object([("applied", .bool(false))])
        case .commands: return .object([("commands", .array(ClaudeCommand.own.map(\.json)))])
        case .keys, .resize: throw CommandRefusal(.noTerminal, "The session has no terminal.")
        case .start, .context, .discover, .listTools, .listModels, .newProject, .workspace, .chat, .continueChat,
            .endChat, .follow, .unfollow, .runTool, .toolResult, .withdrawTool:
            throw CommandRefusal(.parked, "The session's process has ended to save memory; the next message starts it.")
        }
    }

    private func wake(_ key: String, _ state: RunnerState, for command: AgentCommand) async throws {
        if TakenMark.isSet(places.session(key)) {
            await unpark(key, reason: "taken")
            throw CommandRefusal(.notRunning, "The session goes on in a terminal of its machine.")
        }
        var start = AgentCommand.Start(directory: state.directory)
        (start.resume, start.isWoken) = (state.conversationID, true)
        (start.mode, start.model, start.effort) = (state.mode, state.model, state.effort)
        (start.systemPrompt, start.isRestricted) = (state.systemPrompt, state.isRestricted)
        (start.appendsPrompt, start.toolChoice) = (state.appendsPrompt, state.toolChoice)
        let directory = directories[key]
        let waking = Task { [start] in _ = try await self.start(start, command) }
        passages[key] = Task { _ = try? await waking.value }
        defer { passages[key] = nil }
        do {
            try await waking.value
        } catch {
            // The attempt has left its own state there.
            ClaudeSession.restore(state, stateDirectory: places.session(key))
            throw error
        }
        // The session keeps the directory by which it was judged.
        directories[state.conversationID] = directory
        record("woken", [("session_id", .string(state.conversationID))])
    }

    /// A process has the session again.
    func forgetParked(_ id: String) {
        for (key, state) in parked where state.conversationID == id {
            parked[key] = nil
            guard key != id else { continue }
            directories[key] = nil
            table.replaced(key)
            ClaudeSession.removeFiles(stateDirectory: places.session(key))
        }
    }
}
