internal import Workers

extension TerminalSession {
    /// How long a terminal's server may take to start its client, in milliseconds.
    private static let readyMilliseconds = 20_000

    /// Starts a client in a terminal, under a server of its own.
    ///
    /// - Parameter server: the path of the program that runs `TerminalServer`.
    package static func start(
        _ start: ClaudeStart,
        size: TerminalSize,
        server program: String
    ) async throws(ClaudeStartError) -> TerminalSession {
        try start.check()
        guard !start.isRestricted else { throw .invalid("a restricted session in a terminal") }
        let (connection, server) = try await runBlocking { () throws(ClaudeStartError) in
            try launch(start, size, program)
        }
        return try await ready(connection, server)
    }

    /// Takes over a client whose agent has ended.
    package static func adopt(stateDirectory: String) async throws(ClaudeStartError) -> TerminalSession {
        let connection = try await runBlocking { () throws(ClaudeStartError) in
            let files = SessionFiles(directory: stateDirectory)
            return try connect(try ClaudeSession.readState(files), files)
        }
        return try await ready(connection, nil)
    }

    private typealias Connection = (channel: TerminalChannel, state: RunnerState)

    /// Waits until the server has named its client.
    private static func ready(
        _ connection: Connection,
        _ server: ProcessHandle?
    ) async throws(ClaudeStartError) -> TerminalSession {
        let channel = connection.channel
        let alarm = Task {
            try? await Task.sleep(for: .milliseconds(readyMilliseconds))
            if !Task.isCancelled { channel.close() }
        }
        defer { alarm.cancel() }
        var shown: [UInt8] = []
        while let frame = await channel.input.next() {
            switch frame {
            case .started(let identity):
                guard let client = ProcessHandle(identity) else { continue }
                let session = TerminalSession(connection.state, client, channel, server: server)
                await session.begin()
                return session
            case .output(let bytes): shown = (shown + bytes).suffix(4096)
            case .exited(let code, let signal):
                throw .exited(code: code, signal: signal, standardError: shown, errors: [])
            case .failed(let reason): throw .system(reason)
            default: break
            }
        }
        throw server == nil ? .notRunning : .noReply(standardError: shown)
    }

    // MARK: - On a thread that may block

    private static func launch(
        _ start: ClaudeStart,
        _ size: TerminalSize,
        _ program: String
    ) throws(ClaudeStartError) -> (Connection, ProcessHandle) {
        let files = SessionFiles(directory: start.stateDirectory)
        let directory = try ClaudeSession.open(directory: start.directory)
        try ClaudeSession.requireFree(start)
        var state = RunnerState(start)
        state.hasTerminal = true
        let server: ProcessHandle
        do throws(SystemFault) {
            try files.prepare(makesPipes: false)
            try files.write(state.bytes)
            // The server inherits the socket, so the connection can be made before it runs.
            let listener = try LocalSocket.listen(at: files.socket)
            let words = [files.directory, "\(size.columns)", "\(size.rows)", start.executable]
            server = try ChildLauncher.start(
                program,
                [TerminalServer.command] + words + start.terminalArguments,
                environment: ClaudeEnvironment.ofTerminal(start.environment),
                streams: .socket(listener, files),
                directory: directory
            )
        } catch {
            throw .system(error.description)
        }
        return (try connect(state, files), server)
    }

    private static func connect(_ state: RunnerState, _ files: SessionFiles) throws(ClaudeStartError) -> Connection {
        let socket: Descriptor
        do throws(SystemFault) {
            socket = try LocalSocket.connect(to: files.socket)
        } catch {
            throw .notRunning
        }
        do throws(SystemFault) {
            return (try TerminalChannel(socket), state)
        } catch {
            throw .system(error.description)
        }
    }
}
