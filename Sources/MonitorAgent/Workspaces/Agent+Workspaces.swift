internal import JSON
internal import MachinePolicy

/// Commands about files and repositories. They do not hold up the commands to sessions.
extension Agent {
    func look(_ command: any WorkspaceCommand, _ whole: AgentCommand) async throws -> JSONValue {
        try workspacePlaces.enter(whole.by)
        defer { workspacePlaces.leave(whole.by) }
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
