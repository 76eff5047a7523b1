internal import MachinePolicy

/// What the servers of a directory are started with.
struct ServerPlace {
    var directory: String
    var environment: [String]
    var variables: ServerVariables
    var approved: ApprovedServers

    func plan(for server: ConfiguredServer) -> ConfiguredServer.Plan {
        server.plan(
            in: directory,
            environment: environment,
            variables: variables,
            isApproved: approved.contains
        )
    }
}

extension Agent {
    func serverPlace(_ directory: String, _ check: CommandCheck) -> ServerPlace {
        let environment = childEnvironment(check.file)
        let configuration = ClaudeSettings.directory(self.environment)
        return ServerPlace(
            directory: directory,
            environment: environment,
            variables: ServerVariables(
                record: FolderTrust.recordPath(home: places.home, configuration: configuration),
                directory: directory,
                environment: environment
            ),
            approved: files.approvedServers(in: directory, check.file, configuration: configuration)
        )
    }
}
