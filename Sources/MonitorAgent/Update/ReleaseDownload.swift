internal import Workers

/// Asks the server for the agent's release.
struct ReleaseDownload {
    let address: String
    private let access: ServerAccess

    /// Throws if the machine's files allow no connection to the server.
    init(_ places: AgentPlaces, _ environment: [String], certificates: String?) throws {
        access = try ServerAccess(places, environment, certificates: certificates)
        address = access.address + "/agent/" + MachineFacts.platform
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
            access.program,
            access.words + ["--max-time", "300"] + more,
            environment: access.environment,
            seconds: seconds,
            atMost: limit,
            keepsErrors: true
        )
    }
}
