internal import ClaudeRunner
internal import EventModel
internal import Host
internal import JSON
internal import Logging
internal import MachinePolicy
internal import Masking
internal import RPC

/// The sessions that this agent runs.
extension Agent {
    // MARK: Starting

    func start(_ start: AgentCommand.Start, _ command: AgentCommand) async throws -> JSONValue {
        let id = command.sessionID
        if let resume = start.resume {
            guard start.isFork == (resume != id) else {
                throw RPCError.invalidParameter("resume", "is session_id, unless the session is forked")
            }
        }
        if let key = table.key(of: id), let line = table.lines[key], sessions[key] != nil { return Agent.started(line) }
        guard starting.insert(id).inserted else {
            throw CommandRefusal(.alreadyRunning, "The session is being started.")
        }
        defer { starting.remove(id) }
        let check = check()
        let allowed = try check.start(
            start,
            by: command.by,
            running: sessions.count + terminals.count + starting.count - 1
        )
        let program = try self.program(check.file)
        var request = ClaudeStart(
            sessionID: id,
            resume: start.resume,
            isFork: start.isFork,
            directory: allowed.directory,
            model: start.model,
            effort: start.effort,
            mode: start.mode,
            worktree: start.worktree,
            systemPrompt: start.systemPrompt,
            isRestricted: allowed.isRestricted,
            executable: program,
            environment: childEnvironment(check.file),
            stateDirectory: places.session(id),
            denyRules: ClaudeSettings.denyRules(places, files, environment)
                + (start.isWoken ? toolDenials[id] ?? [] : []) + Agent.rules(start.toolChoice)
        )
        (request.appendsPrompt, request.toolChoice) = (start.appendsPrompt, start.toolChoice)
        // Claude Code makes the worktree itself.
        if start.worktree == nil {
            await beginChanges(id, in: start.directory, isLate: start.resume == id && !start.isWoken)
        }
        if let size = start.terminal {
            _ = try await startTerminal(request, size)
        } else {
            let session = try await start.isWoken ? woken(request) : launched(request)
            forgetParked(id)
            await take(session, key: id, directory: allowed.directory)
            try await load(start.history, into: session)
        }
        guard let line = table.lines[id] else { throw CommandRefusal(.startFailed, "The session has ended.") }
        if start.worktree != nil { await beginChanges(id, in: line.directory, isLate: false) }
        return Agent.started(line)
    }

    func childEnvironment(_ file: AgentFile) -> [String] {
        ClaudeEnvironment.ofChild(
            // The first of a name counts: a service's own PATH is not that of the person's shell.
            from: StoredEnvironment.read(places.environment) + environment,
            adding: Set(file.environment)
        )
    }

    func program(_ file: AgentFile) throws(CommandRefusal) -> String {
        guard let program = InstalledClient.path(file, environment) else {
            throw CommandRefusal(
                .startFailed,
                "Claude Code was not found on this machine; set claude=PATH in its file agent."
            )
        }
        if let fault = MachineFiles.fault(ofProgram: program, file) {
            throw CommandRefusal(.notAllowed, "Claude Code is not run: \(fault).")
        }
        return program
    }

    private func launched(_ request: ClaudeStart) async throws -> ClaudeSession {
        do throws(ClaudeStartError) {
            return try await ClaudeSession.start(request)
        } catch {
            throw Agent.refusal(error)
        }
    }

    static func refusal(_ error: ClaudeStartError) -> any Error {
        switch error {
        case .invalid(let what): RPCError(code: -32602, message: "\(what) is not valid")
        case .alreadyRunning(let pid, let kind):
            CommandRefusal(
                .alreadyRunning,
                "Process \(pid) has this session already.",
                [("pid", .integer(Int64(pid))), ("kind", .string(kind))]
            )
        case .exited(_, _, let errors, let told): Agent.startFailure(error, errors, told)
        case .noReply(let errors): Agent.startFailure(error, errors, [])
        default: Agent.startFailure(error, [], [])
        }
    }

    /// A session that has had no message yet has no conversation to continue.
    private func woken(_ request: ClaudeStart) async throws -> ClaudeSession {
        do {
            return try await launched(request)
        } catch let refusal as CommandRefusal where refusal.isWithoutConversation {
            var request = request
            request.resume = nil
            return try await launched(request)
        }
    }

    private static func startFailure(_ error: ClaudeStartError, _ errors: [UInt8], _ told: [String]) -> CommandRefusal {
        var text = SecretMasker.masked(String(decoding: errors.suffix(4096), as: UTF8.self))
        if !told.isEmpty { text += (text.isEmpty ? "" : "\n") + SecretMasker.masked(told.joined(separator: "\n")) }
        return CommandRefusal(
            .startFailed,
            "Claude Code could not be started: \(error).",
            [("stderr", .string(String(text.suffix(4096))))]
        )
    }

    private static func started(_ line: SessionTable.Line) -> JSONValue {
        .object([
            ("session_id", .string(line.id)), ("pid", .integer(Int64(line.pid))), ("cwd", .string(line.directory)),
            ("mode", .string(line.mode)), ("model", line.model.map(JSONValue.string) ?? .null),
            ("restricted", .bool(line.isRestricted)),
        ])
    }

    /// Takes over what an earlier agent has started.
    func adoptAll() async {
        for id in OwnFile.names(in: places.sessions) where ClaudeStart.isSessionID(id) {
            let place = places.session(id)
            let before = RunnerState.read(in: place)
            do throws(ClaudeStartError) {
                if before?.hasTerminal ?? false {
                    await take(try await TerminalSession.adopt(stateDirectory: place), key: id)
                } else {
                    let session = try await ClaudeSession.adopt(stateDirectory: place)
                    await take(session, key: id, directory: await session.snapshot.directory)
                }
                record("adopted", [("session_id", .string(id))])
            } catch {
                if case .notRunning = error, await adoptParked(id) { continue }
                if case .inputCut(let cut) = error, await adoptParked(id) {
                    // The one that was cut is sent again, because nobody has been told that it arrived.
                    await perform(table.lost((before?.messages ?? []).filter { $0 != cut }, in: id))
                    continue
                }
                record("not adopted", [("session_id", .string(id)), ("why", .string("\(error)"))])
                logger.info("a session has ended", metadata: ["session": "\(id)", "reason": "\(error)"])
                let reason: String
                switch error {
                case .machineRestarted: reason = "machine_restarted"
                case .inputCut: reason = "input_cut"
                case .notRunning, .unreadableState: reason = TakenMark.isSet(place) ? "taken" : "gone"
                // It may still run: another agent finds it again.
                default: continue
                }
                await perform(table.vanished(id, directory: "", reason: reason))
                ClaudeSession.removeFiles(stateDirectory: place)
            }
        }
    }

    private func take(_ session: ClaudeSession, key: String, directory: String) async {
        sessions[key] = session
        directories[key] = SmallFile.realPath(directory) ?? directory
        await perform(table.began(Agent.line(await session.snapshot, key)))
        Task {
            for await event in session.events { await take(event, of: session, key) }
        }
    }

    private static func line(_ snapshot: ClaudeSnapshot, _ key: String) -> SessionTable.Line {
        SessionTable.Line(
            key: key,
            id: snapshot.sessionID,
            continues: snapshot.continues,
            pid: snapshot.pid,
            directory: snapshot.directory,
            state: snapshot.state,
            mode: snapshot.mode,
            model: snapshot.model,
            isRestricted: snapshot.isRestricted,
            queue: snapshot.queue
        )
    }

    func refresh(_ key: String) async {
        guard let session = sessions[key] else { return }
        let snapshot = await session.snapshot
        guard snapshot.state != .ended else { return }
        await perform(table.changed(Agent.line(snapshot, key)))
    }

    // MARK: Events

    private func take(_ event: ClaudeSessionEvent, of session: ClaudeSession, _ key: String) async {
        switch event {
        case .state, .modelChanged, .directoryChanged, .continued: await refresh(key)
        case .modeChanged(let mode):
            await refresh(key)
            await judge(mode, of: session, key)
        case .messages(let ids, let progress):
            await perform(table.messages(ids, progress, in: key))
            await refresh(key)
        case .promptOpened(let prompt) where prompt.isOfRequestedCall: await permit(prompt, in: session, key)
        case .promptOpened(let prompt):
            let snapshot = await session.snapshot
            let directory = directories[key] ?? ""
            let hook = PromptEnvelope.hook(
                prompt,
                session: snapshot.sessionID,
                directory: directory,
                mode: snapshot.mode
            )
            let time = "\(SystemClock.now())"
            let verdict = verdict(on: hook, in: directory)
            await perform(table.promptOpened(prompt, hook, verdict, in: key, at: time, now: now))
        case .promptWithdrawn(let id):
            let hasEnded = await session.snapshot.state == .ended
            await perform(table.promptWithdrawn(id, in: key, reason: hasEnded ? "gone" : "cancelled"))
        case .partial(let id, let text, let replaces):
            await perform(table.partial(id, text, replaces: replaces, in: key, now: now))
        case .partialClosed(let id): await perform(table.partialClosed(id, in: key, now: now))
        case .answer(let id, let part): tell(part, of: id)
        case .turnEnded(let turn):
            if let id = table.lines[key]?.id {
                stopChanges(id)
                toolDenials[id] = nil
            }
            await perform(table.turnEnded(turn, in: key))
            await refresh(key)
        case .exited(let code, let signal, let errors):
            await ended(key, code, signal, SecretMasker.masked(String(decoding: errors.suffix(4096), as: UTF8.self)))
        }
    }

    func ended(_ key: String, _ code: Int32?, _ signal: Int32?, _ errors: String) async {
        if await hasParked(key) { return }
        if let id = table.lines[key]?.id { stopChanges(id) }
        abandonCalls(of: key)
        let reason = TakenMark.isSet(places.session(key)) ? "taken" : "exit"
        sessions[key] = nil
        directories[key] = nil
        queues[key] = nil
        record("ended", [("session_id", .string(key)), ("code", code.map { .integer(Int64($0)) } ?? .null)])
        await perform(table.ended(key, reason: reason, code: code, signal: signal, errors: errors))
        ClaudeSession.removeFiles(stateDirectory: places.session(key))
    }

    func verdict(on hook: JSONValue, in directory: String) -> SessionTable.Verdict {
        let check = check()
        let rule = rule(PromptCall(hook: hook, project: directory), check)
        guard rule.isAnswerable else { return .deny(message: SessionTable.refusal) }
        do throws(CommandRefusal) {
            _ = try check.control(directory)
        } catch {
            return .deny(message: SessionTable.refusal)
        }
        let denies = rule.after == .deny && rule.isHoldWritten
        return .ask(policy: rule.words, deniesAfter: denies ? rule.hold : nil)
    }

    /// A mode that the file does not allow is set back, else the session ends.
    private func judge(_ mode: String, of session: ClaudeSession, _ key: String) async {
        let check = check()
        let directory = directories[key] ?? ""
        guard !check.tolerates(mode, in: directory) else { return }
        record("mode refused", [("session_id", .string(key)), ("mode", .string(mode))])
        if mode != "default", check.tolerates("default", in: directory) {
            do throws(ClaudeError) {
                try await session.set(mode: "default")
                return await refresh(key)
            } catch {
                logger.warning("a mode could not be set back", metadata: ["session": "\(key)", "error": "\(error)"])
            }
        }
        _ = await session.stop(killLeftovers: false)
    }
}
