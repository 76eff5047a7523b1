internal import ClaudeRunner
internal import EventModel
internal import Host
internal import JSON
internal import Logging
internal import MachinePolicy
internal import RPC
internal import Workers

/// The commands of the server. Each is recorded before it is carried out, and the machine's files are read anew.
extension Agent {
    /// The file of results is written anew when it is longer.
    private static let mostOutcomeBytes: Int64 = 8 << 20

    func serve(_ request: RPCRequest) {
        let asker = Asker(generation: link.generation, token: request.token)
        if request.method == Uploads.method { return answer(asker, take(request.params)) }
        let command: AgentCommand
        do throws(RPCError) {
            command = try AgentCommand(request.method, request.params)
        } catch {
            record(
                "malformed",
                [("method", .string(String(request.method.prefix(64)))), ("error", .string(error.message))]
            )
            return answer(asker, .failure(error))
        }
        switch memory.admit(command.key, now: SystemClock.now()) {
        case .done(let result): answer(asker, .success(.object { $0.value(result) }))
        case .running: askers[command.key, default: []].append(asker)
        case .new:
            askers[command.key] = [asker]
            begin(command)
        }
    }

    /// Messages and keys to one session keep their order.
    private func begin(_ command: AgentCommand) {
        let isOrdered =
            switch command.body {
            case .send, .keys, .resize: true
            default: false
            }
        guard isOrdered, let key = table.key(of: command.sessionID) else {
            Task { await carryOut(command) }
            return
        }
        let earlier = queues[key]
        let task = Task {
            await earlier?.value
            await carryOut(command)
        }
        queues[key] = task
    }

    private func carryOut(_ command: AgentCommand) async {
        let facts = command.recorded
        do throws(OwnFile.Fault) {
            // What cannot be recorded is not done.
            try audit.record("asked", at: SystemClock.now(), facts)
        } catch {
            logger.error("the audit cannot be written", metadata: ["error": "\(error)"])
            return settle(command, .failure(.internalError("the machine's audit cannot be written")))
        }
        do {
            let result = try await execute(command)
            record("done", facts)
            keep(result, of: command)
            settle(command, .success(.object { $0.value(result) }))
        } catch let refusal as CommandRefusal {
            unsent(command, refusal.message)
            let reason: [(String, JSONValue)] = [
                ("reason", .string(refusal.reason.rawValue)), ("message", .string(refusal.message)),
            ]
            record("refused", facts + reason)
            settle(command, .failure(refusal.error))
        } catch {
            let error = error as? RPCError ?? .internalError("the command failed")
            unsent(command, error.message)
            record("refused", facts + [("message", .string(error.message))])
            settle(command, .failure(error))
        }
    }

    private func keep(_ result: JSONValue, of command: AgentCommand) {
        // A read may simply be repeated, and keys are never repeated.
        if !command.isKept { return memory.abandon(command.key) }
        let entry = memory.finish(command.key, result, now: SystemClock.now())
        do throws(OwnFile.Fault) {
            try outcomes.append(entry.line)
            guard outcomes.size > Agent.mostOutcomeBytes else { return }
            try OwnFile.replace(places.outcomes, memory.stored)
            outcomes = try GrowingFile(places.outcomes)
        } catch {
            logger.error("the result of a command cannot be kept", metadata: ["error": "\(error)"])
        }
    }

    private func settle(_ command: AgentCommand, _ result: Result<RPCResult, RPCError>) {
        if case .failure = result { memory.abandon(command.key) }
        for asker in askers.removeValue(forKey: command.key) ?? [] { answer(asker, result) }
        isStatusStale = true
        ticker.notify()
    }

    /// The files as they are now.
    func check() -> CommandCheck {
        let file = files.agent()
        let configuration = ClaudeSettings.directory(environment)
        return CommandCheck(
            file: file,
            approvals: files.approvals(),
            home: places.home,
            realPath: SmallFile.realPath,
            isDirectory: SmallFile.isDirectory,
            trusts: { [files] in files.trusts($0, file, configuration: configuration) }
        )
    }

    private func execute(_ command: AgentCommand) async throws -> JSONValue {
        if case .start(let start) = command.body { return try await self.start(start, command) }
        if case .discover(let search) = command.body { return try await discover(search) }
        if case .listTools(let request) = command.body { return try await listTools(request, command) }
        if case .toolResult(let call) = command.body { return try toolResult(of: call.call, from: call.offset) }
        if case .withdrawTool(let call) = command.body { return await withdrawTool(call.call) }
        if command.sessionID.isEmpty, case .askTool(let call) = command.body {
            return try await askTool(call, command, in: try await host(for: call))
        }
        if command.sessionID.isEmpty, case .runTool(let call) = command.body {
            return try await runTool(call, command, in: try host(of: call))
        }
        if case .answer(let hold, let output) = command.body, let host = host(ofHold: hold) {
            return try await answer(hold, output, in: host.session, host.key, check())
        }
        if case .listModels = command.body { return try await listModels() }
        if case .newProject(let project) = command.body { return try await makeProject(project) }
        if case .workspace(let workspace) = command.body { return try await look(workspace, command) }
        if case .chat(let chat) = command.body { return try await self.chat(chat, command) }
        if case .continueChat(let results) = command.body { return try await continueChat(results, command) }
        if case .endChat = command.body { return await endChat(command.sessionID) }
        if case .follow(let message) = command.body { return try await follow(message, command) }
        if case .unfollow(let message) = command.body { return unfollow(message) }
        if let key = table.key(of: command.sessionID), let terminal = terminals[key] {
            return try await execute(command, in: terminal, key)
        }
        // A second time if the session was parked meanwhile.
        for isLast in [false, true] {
            guard let key = table.key(of: command.sessionID) else { break }
            await passages[key]?.value
            if let answer = try await answerParked(command, key) { return answer }
            guard let key = table.key(of: command.sessionID), let session = sessions[key] else { break }
            do {
                return try await execute(command, in: session, key)
            } catch let error as ClaudeError {
                guard error == .notRunning, !isLast, passages[key] != nil || parked[key] != nil else {
                    throw Agent.refusal(error)
                }
            }
        }
        throw CommandRefusal(.notRunning, "This agent runs no session \(command.sessionID).")
    }

    private static func refusal(_ error: ClaudeError) -> any Error {
        switch error {
        case .notRunning: CommandRefusal(.notRunning, "The session has ended.")
        case .invalid, .commandNotAllowed, .messageTooLong: RPCError(code: -32602, message: "Refused: \(error)")
        case .unfitReply: CommandRefusal(.unfit, "The answer does not fit the prompt.")
        case .overloaded, .notSaved, .refused, .denied, .noReply: CommandRefusal(.failed, "\(error)")
        }
    }

    private func execute(_ command: AgentCommand, in session: ClaudeSession, _ key: String) async throws -> JSONValue {
        let directory = directories[key] ?? ""
        let check = check()
        switch command.body {
        case .start, .answer: break
        case .send: try check.send(directory)
        default: _ = try check.control(directory)
        }
        switch command.body {
        case .start, .discover, .listTools, .listModels, .newProject, .workspace, .chat, .continueChat, .endChat,
            .follow, .unfollow, .toolResult, .withdrawTool:
            throw CommandRefusal(.failed, "not a command to a session")
        case .keys, .resize: throw CommandRefusal(.noTerminal, "The session has no terminal.")
        case .send(let message):
            try await renewToolChoice(of: session, key)
            let content = try uploads.content(message.content, message.images)
            try await session.send(
                id: message.id,
                content: content,
                asCommand: message.isCommand,
                isFollowed: followers[message.id] != nil
            )
            uploads.remove(message.images)
            await refresh(key)
            return .object([("queued", .bool(table.lines[key]?.queue.contains(message.id) ?? false))])
        case .cancel(let message):
            let isCancelled = try await session.cancel(id: message)
            await refresh(key)
            return .object([("cancelled", .bool(isCancelled))])
        case .interrupt(let cancelQueued):
            let ids = try await session.interrupt(cancelQueued: cancelQueued)
            await refresh(key)
            return .object([("cancelled", .array(ids.map(JSONValue.string)))])
        case .stop(let killLeftovers): return Agent.report(await session.stop(killLeftovers: killLeftovers))
        case .set(let mode, let model, let title):
            if let mode {
                try check.switchMode(to: mode, in: directory, by: command.by)
                try await session.set(mode: mode)
            }
            if let model { try await session.set(model: model.string) }
            if let title { try await session.rename(title) }
            await refresh(key)
            let line = table.lines[key]
            return .object([
                ("mode", .string(line?.mode ?? mode ?? "default")),
                ("model", line?.model.map(JSONValue.string) ?? model ?? .null),
            ])
        case .context:
            let usage = try await session.contextUsage()
            return usage.isObject ? usage : .object([("context", usage)])
        case .commands:
            return .object([("commands", .array(await session.commands.map(\.json)))])
        case .rewind(let rewind): return try await self.rewind(rewind, in: session, key)
        case .limitTools(let limits): return try await limitTools(limits, of: session, key)
        case .askTool(let call): return try await askTool(call, command, in: ToolCaller(session, key, directory))
        case .runTool(let call): return try await runTool(call, command, in: ToolCaller(session, key, directory))
        case .answer(let hold, let output): return try await answer(hold, output, in: session, key, check)
        }
    }

    static func report(_ report: StopReport) -> JSONValue {
        var exit: [(String, JSONValue)] = []
        if let code = report.code { exit.append(("code", .integer(Int64(code)))) }
        if let signal = report.signal { exit.append(("signal", .integer(Int64(signal)))) }
        let left = report.leftRunning.prefix(100).map { process in
            JSONValue.object([
                ("pid", .integer(Int64(process.pid))), ("command", .string(String(process.command.prefix(200)))),
            ])
        }
        return .object([("exit", .object(exit)), ("left_running", .array(Array(left)))])
    }

    private func answer(
        _ id: String,
        _ output: JSONValue,
        in session: ClaudeSession,
        _ key: String,
        _ check: CommandCheck
    ) async throws -> JSONValue {
        guard let hold = table.holds[id], hold.key == key else { return .object([("applied", .bool(false))]) }
        let directory = directories[key] ?? callHosts[key]?.caller.directory ?? ""
        let call = PromptCall(hook: hold.hook, project: directory)
        let checked = try check.answer(call, rule(call, check), output, in: directory)
        if decide(hold.prompt.id, ToolCallDecision(checked)) {
            table.answered(id)
            return .object([("applied", .bool(true))])
        }
        let isApplied = try await session.answer(prompt: hold.prompt.id, SessionTable.reply(checked))
        if isApplied { table.answered(id) }
        return .object([("applied", .bool(isApplied))])
    }

    func rule(_ call: PromptCall, _ check: CommandCheck) -> SettledRule {
        SettledRule(call, in: check.approvals, home: places.home)
    }
}
