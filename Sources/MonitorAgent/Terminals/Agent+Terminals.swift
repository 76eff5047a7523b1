internal import ClaudeRunner
internal import JSON
internal import MachinePolicy
internal import RPC

/// The sessions that this agent runs in terminals.
extension Agent {
    /// The program that becomes the server of a terminal. The link leads to it even if its file was replaced.
    private static let ownProgram = "/proc/self/exe"

    func startTerminal(_ request: ClaudeStart, _ size: TerminalSize) async throws -> SessionTable.Line? {
        do throws(ClaudeStartError) {
            let session = try await TerminalSession.start(request, size: size, server: Agent.ownProgram)
            await take(session, key: request.sessionID)
        } catch {
            throw Agent.refusal(error)
        }
        return table.lines[request.sessionID]
    }

    func take(_ session: TerminalSession, key: String) async {
        let state = session.state
        terminals[key] = session
        directories[key] = SmallFile.realPath(state.directory) ?? state.directory
        let line = SessionTable.Line(
            key: key,
            id: state.conversationID,
            pid: session.pid,
            directory: state.directory,
            state: .idle,
            mode: state.mode,
            model: state.model,
            isRestricted: false,
            queue: [],
            hasTerminal: true
        )
        await perform(table.began(line))
        Task {
            for await event in session.events { await take(event, key) }
        }
    }

    private func take(_ event: TerminalEvent, _ key: String) async {
        switch event {
        case .output(let bytes, let restarts):
            guard showsTerminals(of: key) else { return }
            await perform(table.screen(bytes, restarts: restarts, in: key, now: now))
        case .exited(let code, let signal):
            terminals[key] = nil
            terminalRights[key] = nil
            await ended(key, code, signal, "")
        }
    }

    /// What the machine's file says now. It is read again at most once a second, because a terminal may show much.
    private func showsTerminals(of key: String) -> Bool {
        if let known = terminalRights[key], now - known.at < 1 { return known.isAllowed }
        let allowance = try? check().control(directories[key] ?? "")
        terminalRights[key] = (allowance?.pty ?? false, now)
        return allowance?.pty ?? false
    }

    /// The server knows nothing of what was shown before this connection.
    func restateTerminals() async {
        for session in terminals.values { await session.replay() }
    }

    func execute(_ command: AgentCommand, in terminal: TerminalSession, _ key: String) async throws -> JSONValue {
        let allowance = try check().control(directories[key] ?? "")
        switch command.body {
        case .stop(let killLeftovers):
            return Agent.report(await terminal.stop(killLeftovers: killLeftovers))
        case .keys(let bytes):
            try Agent.requireTerminals(allowance)
            try await terminal.input(bytes)
        case .resize(let size):
            try Agent.requireTerminals(allowance)
            try await terminal.resize(to: size)
        default:
            throw CommandRefusal(.hasTerminal, "The session has a terminal: its own keys do this there.")
        }
        return .object([])
    }

    private static func requireTerminals(_ allowance: AgentFile.Allowance) throws(CommandRefusal) {
        guard allowance.pty else { throw CommandRefusal(.notAllowed, "The machine's file agent says pty=off there.") }
    }
}
