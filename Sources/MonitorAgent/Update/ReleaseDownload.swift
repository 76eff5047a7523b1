internal import MachinePolicy
internal import WebSocketClient
internal import Workers

/// Asks the server for the agent's release, by curl, which the hooks need anyway.
struct ReleaseDownload {
    let address: String
    private let program: String
    private let words: [String]
    private let environment: [String]

    /// Throws if the machine's files allow no connection to the server.
    init(_ places: AgentPlaces, _ environment: [String], certificates: String?) throws {
        let configuration = try HookConfiguration.read(places.configuration)
        let file = MachineFiles(directory: places.directory, home: places.home).agent()
        let endpoint = try LinkPlan.endpoint(configuration, file, certificates: certificates)
        guard let curl = ["/usr/bin/curl", "/bin/curl", "/usr/local/bin/curl"].first(where: OwnFile.canRun) else {
            throw UpdateCommand.Fault("curl is needed; please install it.")
        }
        program = curl
        address = configuration.url + "/agent/" + MachineFacts.platform
        // A proxy may have a password, which is not for the command line.
        self.environment =
            Environment.plain(environment) + (endpoint.proxy.map { ["ALL_PROXY=http://\($0)"] } ?? [])
        var words = ["-q", "-sS", "--globoff", "--proto", endpoint.isSecure ? "=https" : "=http", "--max-time", "300"]
        if let certificates = endpoint.certificates { words += ["--cacert", certificates] }
        if endpoint.proxy == nil { words += ["--noproxy", "*"] }
        self.words = words
    }

    /// The head of the server's answer; `nil` if there is none.
    func head() -> String? {
        let done = call(["--head", address], seconds: 30)
        return done?.status == 0 ? done?.text : nil
    }

    /// The release; `nil` if it cannot be downloaded or is larger. Older versions of curl limit only an answer that
    /// states its length.
    func fetch(atMost limit: Int) -> [UInt8]? {
        let done = call(["--fail", address], seconds: 310, atMost: limit)
        return done?.status == 0 ? done?.output : nil
    }

    private func call(_ more: [String], seconds: Double, atMost limit: Int = 64 << 10) -> ShortProcess.Done? {
        ShortProcess.run(
            program,
            words + more,
            environment: environment,
            seconds: seconds,
            atMost: limit,
            keepsErrors: true
        )
    }
}
