internal import Host
internal import MachinePolicy
internal import WebSocketClient

/// Checks everything that the agent needs, and says in plain words what is wrong.
struct DoctorCommand {
    let places: AgentPlaces
    let environment: [String]
    let arguments: Arguments

    enum Grade: String {
        case good = "ok   "
        case note = "note "
        case fault = "FAULT"
    }

    struct Finding: Equatable {
        var grade: Grade
        var words: String
    }

    func run() async -> ExitStatus {
        let files = MachineFiles(directory: places.directory, home: places.home)
        let file = files.agent()
        var findings = DoctorCommand.judge(file, files.agentPath, realPath: SmallFile.realPath)
        findings.append(approvals(files))
        findings += client(file)
        findings += tools(file)
        findings.append(audit())
        findings += await server(file)
        for finding in findings {
            StandardOutput.write(ShownText.line("\(finding.grade.rawValue)  \(finding.words)") + "\n")
        }
        return findings.contains { $0.grade == .fault } ? .failure : .success
    }

    static func judge(_ file: AgentFile, _ path: String, realPath: (String) -> String?) -> [Finding] {
        if let flaw = file.flaw {
            return [Finding(grade: .fault, words: "\(path) is not valid: \(flaw); nothing is allowed")]
        }
        guard !file.isAbsent else {
            return [Finding(grade: .fault, words: "there is no \(path); nothing is allowed: monitor-agent install")]
        }
        var findings = [Finding(grade: .good, words: "\(path) is valid")]
        for root in file.roots {
            let plain = MachinePlace.plain(root.path)
            switch realPath(plain) {
            case plain?: continue
            case nil: findings.append(Finding(grade: .note, words: "the root \(plain) does not exist"))
            case let real?:
                findings.append(
                    Finding(
                        grade: .fault,
                        words: "the root \(plain) leads through a link, so it allows nothing; write roots=\(real)"
                    )
                )
            }
        }
        if !file.roots.contains(where: \.allowance.control) {
            findings.append(Finding(grade: .note, words: "no root has control=on, so no session can be started"))
        }
        if file.allowsPlaintext {
            findings.append(Finding(grade: .note, words: "plaintext=yes: the key and all texts can be read on the way"))
        }
        return findings
    }

    private func approvals(_ files: MachineFiles) -> Finding {
        if let flaw = files.approvals().flaw {
            return Finding(grade: .fault, words: "\(files.approvalsPath) is not valid: \(flaw); every prompt is denied")
        }
        return Finding(grade: .good, words: "the approvals file is valid, or there is none")
    }

    private func client(_ file: AgentFile) -> [Finding] {
        guard let path = InstalledClient.path(file, environment) else {
            return [Finding(grade: .fault, words: "Claude Code was not found; set claude=PATH in the file agent")]
        }
        if let fault = MachineFiles.fault(ofProgram: path, file) {
            return [Finding(grade: .fault, words: "Claude Code is not run: \(fault)")]
        }
        return [Finding(grade: .good, words: "Claude Code: \(path)")]
    }

    private func tools(_ file: AgentFile) -> [Finding] {
        let record = FolderTrust.recordPath(home: places.home, configuration: ClaudeSettings.directory(environment))
        guard case .text(let text, _, _) = SmallFile.read(record, atMost: 64 << 20),
            let name = BridgeEntry.name(in: text)
        else {
            let words = "Claude Code does not have the monitor's tools; the hooks' install.sh --mcp adds them"
            return [Finding(grade: .note, words: words)]
        }
        let good = Finding(grade: .good, words: "Claude Code has the monitor's tools, as its MCP server \(name)")
        let folders = [SmallFile.realPath(".")].compactMap(\.self) + file.roots.map { MachinePlace.plain($0.path) }
        let rivals = BridgeEntry.rivals(of: name, in: text, folders).map { place in
            let words = "\(place) has an MCP server \(name), too: Claude Code takes that one there, also for approvals"
            return Finding(grade: .note, words: words + "; name mcp.json in a run: --strict-mcp-config --mcp-config")
        }
        return [good] + rivals
    }

    private func audit() -> Finding {
        guard case .text(let text, _, _) = SmallFile.read(places.audit, atMost: 128 << 20) else {
            return Finding(grade: .note, words: "there is no audit yet")
        }
        if let line = AuditTrail.fault(in: text) {
            return Finding(grade: .fault, words: "\(places.audit) was changed, or cut, at line \(line)")
        }
        return Finding(grade: .good, words: "the audit is whole")
    }

    private func server(_ file: AgentFile) async -> [Finding] {
        let endpoint: WebSocketEndpoint
        do {
            let configuration = try HookConfiguration.read(places.configuration)
            endpoint = try LinkPlan.endpoint(configuration, file, certificates: arguments.certificates)
        } catch {
            return [Finding(grade: .fault, words: "\(error)")]
        }
        if let pid = AgentLock.holder(places.lock) {
            return [Finding(grade: .good, words: "an agent runs (process \(pid)); monitor-agent status says more")]
        }
        let note = Finding(grade: .note, words: "no agent runs")
        let end = await DoctorCommand.tryConnection(endpoint)
        guard end == .finished else {
            return [note, Finding(grade: .fault, words: "\(endpoint.shown): \(LinkPlan.words(for: end))")]
        }
        return [note, Finding(grade: .good, words: "\(endpoint.shown) accepts the machine's key")]
    }

    /// `finished` if the server took the connection.
    private static func tryConnection(_ endpoint: WebSocketEndpoint) async -> WebSocketEnd {
        let inbox = LinkInbox()
        guard let connection = try? WebSocketConnection(endpoint, handler: { inbox.put($0) }) else {
            return .failed(reason: "no thread could be started")
        }
        while true {
            for event in await inbox.next().events {
                switch event {
                case .opened: connection.close()
                case .text: break
                case .ended(let end): return end
                }
            }
        }
    }
}
