internal import Host
internal import MachinePolicy
internal import Signing
internal import WebSocketClient
internal import Workers

/// Replaces this program by a newer release of the server, after a yes at the terminal. It never runs unattended: the
/// server cannot ask for it.
struct UpdateCommand {
    let places: AgentPlaces
    let environment: [String]
    let arguments: Arguments

    private static let mostBytes = 64 << 20

    struct Fault: Error, CustomStringConvertible {
        var description: String

        init(_ description: String) { self.description = description }
    }

    func run() -> ExitStatus {
        do {
            guard MachineFacts.isTerminal else { throw Fault("An update needs a terminal: a person must agree to it.") }
            let key = try releaseKey()
            let download = try ReleaseDownload(places, environment, certificates: arguments.certificates)
            guard let head = download.head() else { throw Fault("\(download.address) does not answer.") }
            guard let offer = ReleaseOffer(head: head) else {
                throw Fault("The server has no agent for \(MachineFacts.platform). \(download.address)")
            }
            switch offer.judge(key: key, platform: MachineFacts.platform, own: AgentVersion.text) {
            case .same: say("The agent is up to date (version \(AgentVersion.text)).")
            case .refused(let reason): throw Fault("Nothing was changed: \(reason).")
            case .newer: return try replace(by: offer, download)
            }
            return .success
        } catch {
            StandardError.write("monitor-agent: \(ShownText.line("\(error)"))\n")
            return .failure
        }
    }

    private func releaseKey() throws(Fault) -> String {
        let again = "Run the server's installer with --agent to get a new version."
        switch SmallFile.read(places.releaseKey, atMost: 256) {
        case .absent: throw Fault("There is no \(places.releaseKey), so no release can be verified. \(again)")
        case .unreadable(let reason): throw Fault("\(places.releaseKey): \(reason)")
        case .text(let bytes, _, let mode):
            guard mode & 0o022 == 0 else { throw Fault("\(places.releaseKey) can be written by others.") }
            return String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self)
        }
    }

    private func replace(by offer: ReleaseOffer, _ download: ReleaseDownload) throws -> ExitStatus {
        let program = InstalledFiles.target(of: "/proc/self/exe")
        let version = ShownText.line(offer.version)
        StandardOutput.write("Replace \(program), version \(AgentVersion.text), by version \(version)? [y/N] ")
        guard ["y", "yes"].contains(readLine()?.lowercased() ?? "") else {
            say("Nothing was changed.")
            return .failure
        }
        let draft = program + ".update"
        defer { _ = try? OwnFile.remove(draft) }
        guard let bytes = download.fetch(atMost: UpdateCommand.mostBytes) else {
            throw Fault("The release cannot be downloaded from \(download.address).")
        }
        guard Hex.encode(Digest.sha256(bytes)) == offer.digest else {
            throw Fault("Nothing was changed: the download is not the release that the server described.")
        }
        try OwnFile.remove(draft)
        try OwnFile.replace(draft, bytes)
        try OwnFile.makeExecutable(draft)
        let said = ShortProcess.run(draft, ["version"], environment: Environment.plain(environment), seconds: 10)
        guard said?.status == 0, said?.text == "monitor-agent \(offer.version)\n" else {
            throw Fault("Nothing was changed: the new version does not run on this machine.")
        }
        try OwnFile.rename(draft, to: program)
        say("The agent is of version \(version) now.")
        return restart()
    }

    private func restart() -> ExitStatus {
        let service = UserService(places: places, environment: environment)
        if service.isInstalled {
            guard let fault = service.restart() else {
                say("Its service was restarted; the sessions run on.")
                return .success
            }
            StandardError.write("monitor-agent: The service could not be restarted: \(fault)\n")
            return .failure
        }
        if let pid = AgentLock.holder(places.lock) {
            say("The old version still runs (process \(pid)). End it and start the new one; the sessions run on.")
        }
        return .success
    }

    private func say(_ line: String) { StandardOutput.write(line + "\n") }
}
