internal import ClaudeRunner
internal import MachinePolicy
internal import Workers

/// The variables of the person's shell, which a service does not get: read from the shell, and stored for sessions.
struct ShellEnvironment {
    let places: AgentPlaces
    /// That of this process.
    let environment: [String]

    private static let shellSeconds: Double = 10

    /// Stores the variables that sessions may have. Where the shell does not tell its own, this process's are stored.
    ///
    /// - Returns: the names of those that are stored now.
    func store() throws(OwnFile.Fault) -> [String] {
        let files = MachineFiles(directory: places.directory, home: places.home)
        let entries = ofShell ?? environment
        let allowed = ClaudeEnvironment.ofChild(from: entries, adding: Set(files.agent().environment))
        try OwnFile.makeDirectory(places.directory)
        try OwnFile.replace(places.environment, Array(InstallPlan.stored(entries, allowed: allowed).utf8))
        return names
    }

    /// The names that are stored. The values may be secret.
    var names: [String] {
        StoredEnvironment.read(places.environment).compactMap { $0.split(separator: "=").first.map(String.init) }
    }

    private var ofShell: [String]? {
        guard let shell = Environment.value("SHELL", environment), shell.hasPrefix("/") else { return nil }
        let done = ShortProcess.run(
            shell,
            ["-lic", "env -0"],
            environment: environment,
            seconds: ShellEnvironment.shellSeconds
        )
        guard let done, done.status == 0 else { return nil }
        return done.output.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }
}
