internal import JSON
internal import MachinePolicy

/// Commands about files and repositories. They do not hold up the commands to sessions.
extension Agent {
    /// Commands at a time. More are refused; the server may ask again.
    private static let mostLooking = 32

    func look(_ command: any WorkspaceCommand, _ whole: AgentCommand) async throws -> JSONValue {
        guard looking < Agent.mostLooking else {
            throw CommandRefusal(.tooManyCommands, "The machine's agent already carries out \(looking) such commands.")
        }
        looking += 1
        defer { looking -= 1 }
        return try await command.run(workspaceContext(by: whole.by, seconds: whole.seconds))
    }

    func workspaceContext(by person: AgentCommand.Person, seconds: Double) -> WorkspaceContext {
        WorkspaceContext(
            file: files.agent(),
            files: files,
            places: places,
            environment: environment,
            by: person,
            seconds: seconds,
            services: workspaces
        )
    }
}
