internal import Workers

extension ClaudeSession {
    /// How long a client may take until it answers, in seconds. A loaded machine was seen to need 3.
    private static let readySeconds = 20.0
    /// Looks for a client whose pid was not noted, which take two seconds and more.
    private static let startingLooks = 100

    /// Starts a client and waits until it is ready.
    package static func start(_ start: ClaudeStart) async throws(ClaudeStartError) -> ClaudeSession {
        try start.check()
        let session = try await runBlocking { () throws(ClaudeStartError) in try launch(start) }
        await session.begin()
        do throws(ClaudeError) {
            let request = ControlRequest.initialize(systemPrompt: start.systemPrompt, isAppended: start.appendsPrompt)
            _ = try await session.ask(request, seconds: readySeconds)
            return session
        } catch {
            let failure = await session.startFailure(error)
            _ = await session.stop(killLeftovers: true)
            throw failure
        }
    }

    /// Takes over a client whose agent has ended. Its open prompts are reported again.
    package static func adopt(stateDirectory: String) async throws(ClaudeStartError) -> ClaudeSession {
        let session = try await runBlocking { () throws(ClaudeStartError) in try attach(stateDirectory) }
        await session.begin()
        do throws(ClaudeError) {
            _ = try await session.ask(.initialize(systemPrompt: nil), seconds: readySeconds)
            return session
        } catch {
            let failure = await session.startFailure(error)
            await session.detach()
            throw failure
        }
    }

    /// Ends the client of a session that another agent may have. Returns its last state, or nil if there is none.
    package static func endClient(stateDirectory: String) async -> RunnerState? {
        await runBlocking {
            guard let state = RunnerState.read(in: stateDirectory) else { return nil }
            if let (process, _) = running(state, SessionFiles(directory: stateDirectory)) { end(process) }
            return state
        }
    }

    /// Removes the files of a session that has ended.
    package static func removeFiles(stateDirectory: String) {
        SessionFiles(directory: stateDirectory).remove()
    }

    private func startFailure(_ error: ClaudeError) async -> ClaudeStartError {
        // The channel knows of the client's end first.
        if error == .notRunning { _ = await waitForExit(seconds: 5) }
        if let exit {
            return .exited(
                code: exit.code,
                signal: exit.signal,
                standardError: exit.standardError,
                errors: conversation.startErrors
            )
        }
        if case .refused(let reason) = error { return .system("the client refused to begin: \(reason)") }
        return .noReply(standardError: SessionFiles(directory: stateDirectory).standardError())
    }

    // MARK: - On a thread that may block

    private static func launch(_ start: ClaudeStart) throws(ClaudeStartError) -> ClaudeSession {
        let files = SessionFiles(directory: start.stateDirectory)
        let directory = try open(directory: start.directory)
        let environment = ClaudeEnvironment.marked(start.environment, sessionID: start.sessionID)
        try requireFree(start)
        var state = RunnerState(start)
        (state.effort, state.systemPrompt) = (start.effort, start.systemPrompt)
        state.appendsPrompt = start.appendsPrompt
        do throws(SystemFault) {
            try files.prepare()
            let process = try spawn(
                start.executable,
                start.arguments,
                environment: environment,
                &state,
                files,
                in: directory
            )
            do throws(SystemFault) {
                return try session(state, process, files)
            } catch {
                end(process)
                throw error
            }
        } catch {
            throw .system(error.description)
        }
    }

    /// Starts a client without a terminal, and notes its process in the state file. The files must be prepared.
    ///
    /// - Parameter streams: by default pipes that stay when this agent ends.
    static func spawn(
        _ executable: String,
        _ arguments: [String],
        environment: [String],
        _ state: inout RunnerState,
        _ files: SessionFiles,
        streams: ChildStreams? = nil,
        in directory: Descriptor
    ) throws(SystemFault) -> ProcessHandle {
        // Written first: if this agent ends now, the next one looks for the client.
        try files.write(state.bytes)
        let process = try ChildLauncher.start(
            executable,
            arguments,
            environment: environment,
            streams: streams ?? .pipes(files),
            directory: directory
        )
        state.pid = process.identity.pid
        state.startTime = process.identity.startTime
        do throws(SystemFault) {
            try files.write(state.bytes)
        } catch {
            end(process)
            throw error
        }
        return process
    }

    /// No process has the session. Two would split its conversation.
    static func requireFree(_ start: ClaudeStart) throws(ClaudeStartError) {
        let files = SessionFiles(directory: start.stateDirectory)
        if let (process, _) = running(RunnerState.read(in: start.stateDirectory), files) {
            throw .alreadyRunning(pid: process.identity.pid, kind: "agent")
        }
        if let resume = start.resume, !start.isFork,
            let configuration = LiveSessions.configuration(environment: start.environment),
            let holder = LiveSessions.holder(of: resume, configuration: configuration)
        {
            throw .alreadyRunning(pid: holder.pid, kind: holder.kind)
        }
    }

    /// Opens the directory that this path names, which must be a real path: a link could be changed after the caller
    /// has looked at it.
    static func open(directory path: String) throws(ClaudeStartError) -> Descriptor {
        guard let directory = try? Descriptor(openingDirectory: path),
            ProcessTable.link("/proc/self/fd/\(directory.number)") == path
        else { throw .wrongDirectory(path) }
        return directory
    }

    private static func attach(_ stateDirectory: String) throws(ClaudeStartError) -> ClaudeSession {
        let files = SessionFiles(directory: stateDirectory)
        let state = try readState(files)
        guard let (process, found) = running(state, files) else { throw .notRunning }
        if let id = state.writing {
            end(process)
            // The session goes on with the next message, which may be the same once more.
            var ended = found
            (ended.hasEnded, ended.isParked) = (true, true)
            (ended.writing, ended.messages) = (nil, [])
            _ = try? files.write(ended.bytes)
            throw .inputCut(id: id)
        }
        do throws(SystemFault) {
            if found != state { try files.write(found.bytes) }
            return try session(found, process, files)
        } catch {
            throw .system(error.description)
        }
    }

    /// The state of a session of this boot of the machine.
    static func readState(_ files: SessionFiles) throws(ClaudeStartError) -> RunnerState {
        guard let state = RunnerState.read(in: files.directory) else { throw .unreadableState(files.state) }
        guard state.bootID == ProcessTable.bootID else { throw .machineRestarted }
        return state
    }

    /// The client of a state file, if it runs.
    private static func running(_ state: RunnerState?, _ files: SessionFiles) -> (ProcessHandle, RunnerState)? {
        guard var state, !state.hasEnded, state.bootID == ProcessTable.bootID else { return nil }
        var identity: ProcessIdentity?
        if let pid = state.pid, let startTime = state.startTime {
            identity = ProcessIdentity(pid: pid, startTime: startTime)
        } else {
            identity = started(state.sessionID, files)
        }
        guard let identity, let process = ProcessHandle(identity), process.status() == .running else { return nil }
        state.pid = identity.pid
        state.startTime = identity.startTime
        return (process, state)
    }

    /// The client of an agent that ended between the client's start and the note of its pid. While the client begins to
    /// run its program, it is not known by its environment yet.
    private static func started(_ id: String, _ files: SessionFiles) -> ProcessIdentity? {
        let marker = ClaudeEnvironment.marker(sessionID: id)
        for look in 0..<startingLooks {
            if look > 0 { WorkerThread.sleep(milliseconds: 20) }
            let found = ProcessTable.processes(withEnvironment: marker)
                .first { ProcessTable.target(of: 0, in: $0.pid) == files.input }
            if let found { return found }
        }
        return nil
    }

    private static func session(
        _ state: RunnerState,
        _ process: ProcessHandle,
        _ files: SessionFiles
    ) throws(SystemFault) -> ClaudeSession {
        let channel = try ClaudeChannel()
        var conversation = ClaudeConversation(
            sessionID: state.conversationID,
            mode: state.mode,
            model: state.model,
            directory: state.directory,
            requestPrefix: "monitor-" + String(UInt64.random(in: .min ... .max), radix: 16),
            unfinished: state.messages
        )
        conversation.continues = state.continues
        let session = ClaudeSession(
            stateDirectory: files.directory,
            process: process,
            channel: channel,
            conversation: conversation,
            origin: state
        )
        try channel.open(files: files, process: process, state: state)
        return session
    }

    /// Ends a client that no session has.
    static func end(_ process: ProcessHandle) {
        for signal in [ProcessHandle.Signal.terminate, .kill] {
            process.send(signal)
            for _ in 0..<250 {
                guard process.status() == .running else { return }
                WorkerThread.sleep(milliseconds: 20)
            }
        }
    }
}
