internal import Glibc

/// The process that holds the terminal of one session, so that the session outlives the agent. It has the socket on
/// which it listens for the agent as its standard input.
package enum TerminalServer {
    /// The command of the agent's program that becomes the server. Nobody types it.
    package static let command = "serve-terminal"

    /// Runs until the client has ended.
    ///
    /// - Parameters:
    ///   - words: the session's state directory, the columns, the rows, the client's program, and its arguments.
    ///   - clock: seconds of a clock that never goes back.
    /// - Returns: false if the words are not these.
    package static func run(_ words: [String], clock: @escaping @Sendable () -> Double) -> Bool {
        guard words.count >= 4, let columns = Int64(words[1]), let rows = Int64(words[2]),
            let size = TerminalSize(columns: columns, rows: rows)
        else { return false }
        _ = signal(SIGPIPE, SIG_IGN)
        let listener = Descriptor(owning: STDIN_FILENO)
        let files = SessionFiles(directory: words[0])
        do throws(SystemFault) {
            let terminal = try PseudoTerminal(size: size)
            let client = try start(words[3], Array(words.dropFirst(4)), in: terminal, files)
            var loop = TerminalServerLoop(
                listener: listener,
                terminal: terminal,
                client: client,
                size: size,
                clock: clock
            )
            let (code, signal) = loop.run()
            noteEnd(files)
            loop.tell(.exited(code: code, signal: signal))
        } catch {
            noteEnd(files)
            TerminalServerLoop.tell(.failed(error.description), whoeverConnectsTo: listener)
        }
        _ = unsafe unlink(files.socket)
        return true
    }

    /// The client leads a session of its own, whose terminal this one becomes as it opens it.
    private static func start(
        _ executable: String,
        _ arguments: [String],
        in terminal: PseudoTerminal,
        _ files: SessionFiles
    ) throws(SystemFault) -> ProcessHandle {
        guard var state = RunnerState.read(in: files.directory) else { throw SystemFault("read", files.state) }
        let client = try ChildLauncher.start(
            executable,
            arguments,
            environment: ProcessTable.ownEnvironment,
            streams: .terminal(terminal.path),
            directory: try Descriptor(openingDirectory: ".")
        )
        state.pid = client.identity.pid
        state.startTime = client.identity.startTime
        do throws(SystemFault) {
            try files.write(state.bytes)
        } catch {
            client.send(.kill)
            throw error
        }
        return client
    }

    private static func noteEnd(_ files: SessionFiles) {
        guard var state = RunnerState.read(in: files.directory) else { return }
        state.hasEnded = true
        _ = try? files.write(state.bytes)
    }
}
