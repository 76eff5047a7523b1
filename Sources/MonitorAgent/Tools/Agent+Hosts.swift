internal import ClaudeRunner
internal import EventModel
internal import JSON

/// Clients that get no message: they run only to tell something of themselves.
extension Agent {
    /// At a time.
    private static let mostHosts = 2

    /// Starts a client in a directory, asks it and ends it.
    ///
    /// - Parameters:
    ///   - isRestricted: nothing of the directory's own settings and MCP servers counts.
    ///   - refused: the servers of the folder that must not start, by name.
    ///   - question: returns nil if the client does not tell.
    func askHost(
        in directory: String,
        program: String,
        environment: [String],
        isRestricted: Bool = false,
        refusing refused: [String] = [],
        _ question: @Sendable (ClaudeSession) async -> JSONValue?
    ) async throws -> JSONValue? {
        guard hosts < Agent.mostHosts else {
            throw CommandRefusal(.tooManyCommands, "The machine's agent already asks \(hosts) clients.")
        }
        hosts += 1
        defer { hosts -= 1 }
        var random = SystemRandomNumberGenerator()
        let id = EventID.version4(using: &random).description
        let start = ClaudeStart(
            sessionID: id,
            directory: directory,
            isRestricted: isRestricted,
            executable: program,
            environment: environment,
            stateDirectory: places.hosts + "/" + id,
            host: ToolHost(refusing: refused)
        )
        let session: ClaudeSession
        do throws(ClaudeStartError) {
            session = try await ClaudeSession.start(start)
        } catch {
            ClaudeSession.removeFiles(stateDirectory: start.stateDirectory)
            throw Agent.refusal(error)
        }
        let events = Task { for await _ in session.events {} }
        let told = await question(session)
        _ = await session.stop(killLeftovers: true)
        events.cancel()
        ClaudeSession.removeFiles(stateDirectory: start.stateDirectory)
        return told
    }
}
