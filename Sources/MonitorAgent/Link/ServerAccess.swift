internal import MachinePolicy
internal import WebSocketClient

/// How curl, which the hooks need anyway, reaches the server of the machine's files.
struct ServerAccess: Sendable {
    let address: String
    let key: String
    let program: String
    /// The beginning of curl's command line. It has nothing secret.
    let words: [String]
    /// Complete, as `NAME=value`. No variable of the session's environment changes what curl does.
    let environment: [String]

    /// Throws if the machine's files allow no connection to the server.
    init(_ places: AgentPlaces, _ environment: [String], certificates: String?) throws {
        let configuration = try HookConfiguration.read(places.configuration)
        let file = MachineFiles(directory: places.directory, home: places.home).agent()
        let endpoint = try LinkPlan.endpoint(configuration, file, certificates: certificates)
        guard let curl = ["/usr/bin/curl", "/bin/curl", "/usr/local/bin/curl"].first(where: OwnFile.canRun) else {
            throw UpdateCommand.Fault("curl is needed; please install it.")
        }
        (program, address, key) = (curl, configuration.url, configuration.key)
        // A proxy may have a password, which is not for the command line.
        self.environment =
            Environment.plain(environment) + (endpoint.proxy.map { ["ALL_PROXY=http://\($0)"] } ?? [])
        var words = ["-q", "-sS", "--globoff", "--proto", endpoint.isSecure ? "=https" : "=http"]
        if let certificates = endpoint.certificates { words += ["--cacert", certificates] }
        if endpoint.proxy == nil { words += ["--noproxy", "*"] }
        self.words = words
    }
}
