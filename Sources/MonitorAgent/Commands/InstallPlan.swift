internal import JSON
internal import MachinePolicy

/// What `install` writes. Pure.
enum InstallPlan {
    /// The trusted projects of the person, by Claude Code's own record, without those inside others.
    static func projects(record: [UInt8], home: String, isDirectory: (String) -> Bool) -> [String] {
        let found = try? JSONParser().withDocument(record) { document -> [String] in
            guard let projects = document["projects"], projects.isObject else { return [] }
            return projects.members.compactMap { member in
                member.value["hasTrustDialogAccepted"]?.bool == true ? member.name.string : nil
            }
        }
        var roots: [String] = []
        for path in Set(found ?? []).sorted()
        where path.hasPrefix("/") && path != "/" && path != home && isWritable(path) && isDirectory(path) {
            if !roots.contains(where: { MachinePlace.contains($0, path) }) { roots.append(path) }
        }
        return roots
    }

    /// Whether the file's grammar can express the path.
    static func isWritable(_ path: String) -> Bool {
        path.utf8.count <= 4096 && path.utf8.allSatisfy { $0 >= 32 && $0 != 127 && $0 != UInt8(ascii: "\"") }
    }

    static func file(roots: [String], claude: String?) -> String {
        var lines = [
            "# What the agent may do on this machine, whatever the server says. Written by monitor-agent install.",
            "# Without this file it may do nothing.",
            "control=on modes=default,plan,acceptEdits sessions=8 files=off git=off",
        ]
        if let claude { lines.append("claude=" + quoted(claude)) }
        lines += roots.map { "roots=" + quoted($0) }
        return lines.joined(separator: "\n") + "\n"
    }

    static func quoted(_ path: String) -> String {
        path.utf8.contains(UInt8(ascii: " ")) || path.utf8.contains(UInt8(ascii: "#")) ? "\"\(path)\"" : path
    }

    static let unitName = "claude-monitor-agent.service"

    /// The unit of the user's systemd. The sessions outlive the agent: only its own process is ended.
    static func unit(program: String, certificates: String?) -> String {
        let flags = certificates.map { " --ca-file \(escaped($0))" } ?? ""
        return """
            [Unit]
            Description=Claude Code Monitor: the machine's agent
            Documentation=man:systemd.service(5)
            StartLimitIntervalSec=0

            [Service]
            ExecStart=\(escaped(program, isProgram: true)) run\(flags)
            Restart=always
            RestartSec=2
            RestartPreventExitStatus=69
            KillMode=process
            OOMPolicy=continue

            [Install]
            WantedBy=default.target

            """
    }

    /// A word of ExecStart: systemd.syntax(7) gives quotes, \\, % and $ a meaning. In the first word $ has none.
    static func escaped(_ word: String, isProgram: Bool = false) -> String {
        var text = "\""
        for character in word {
            switch character {
            case "\"", "\\": text += "\\\(character)"
            case "%": text += "%%"
            case "$" where !isProgram: text += "$$"
            default: text.append(character)
            }
        }
        return text + "\""
    }

    /// The entries of the shell's environment that are kept for sessions, with one line each.
    static func stored(_ entries: [String], allowed: [String]) -> String {
        let names = Set(allowed.compactMap { $0.split(separator: "=", maxSplits: 1).first.map(String.init) })
        var lines: [String] = []
        for entry in entries.sorted() {
            guard let sign = entry.firstIndex(of: "="), names.contains(String(entry[..<sign])),
                entry.utf8.allSatisfy({ $0 >= 32 && $0 != 127 })
            else { continue }
            lines.append(entry)
        }
        return lines.joined(separator: "\n") + (lines.isEmpty ? "" : "\n")
    }
}
