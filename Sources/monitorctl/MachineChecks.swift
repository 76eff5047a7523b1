import Foundation

/// Checks on this machine: whether the hooks are installed, and whether they deliver their events.
struct MachineChecks {
    var environment: [String: String]

    private var home: String { environment["HOME"] ?? "" }

    private static let installAdvice = "if Claude Code runs on this machine: hooks/install.sh --url URL --key KEY"

    func run() -> [DoctorCheck] {
        [hooks(), config(), proxy(), curl(), spool()]
    }

    private func hooks() -> DoctorCheck {
        let directory = environment.nonEmpty("CLAUDE_CONFIG_DIR") ?? home + "/.claude"
        let path = directory + "/settings.json"
        guard let text = try? readTextFile(path) else {
            return .warning("hooks", "no \(path)", do: MachineChecks.installAdvice)
        }
        guard (try? JSONSerialization.jsonObject(with: Data(text.utf8))) is [String: Any] else {
            return .failed("hooks", "\(path) is not a JSON object", do: "repair it: Claude Code ignores the file")
        }
        guard text.contains("session-monitor.sh") else {
            return .warning("hooks", "not in \(path)", do: MachineChecks.installAdvice)
        }
        return .ok("hooks", path)
    }

    private var configPath: String {
        (environment.nonEmpty("XDG_CONFIG_HOME") ?? home + "/.config") + "/claude-monitor/config"
    }

    private func config() -> DoctorCheck {
        let path = configPath
        guard let text = try? readTextFile(path) else {
            return .warning("hook config", "no \(path)", do: MachineChecks.installAdvice)
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let mode = (attributes?[.posixPermissions] as? NSNumber)?.intValue ?? 0
        guard mode & 0o077 == 0 else {
            return .failed("hook config", "other users can read the key in \(path)", do: "chmod 600 \(path)")
        }
        let missing = MachineChecks.missingSettings(text)
        guard missing.isEmpty else {
            let detail = "\(path) has no \(missing.joined(separator: " and no "))"
            return .failed("hook config", detail, do: "run hooks/install.sh again")
        }
        return .ok("hook config", path)
    }

    /// The hook's settings are `NAME=value` lines. The names end in URL and KEY.
    static func missingSettings(_ text: String) -> [String] {
        let names = text.split(whereSeparator: \.isNewline).compactMap { line -> String? in
            let parts = line.split(separator: "=", maxSplits: 1).map { String($0).trimmed }
            guard parts.count == 2, !parts[0].hasPrefix("#"), !["", "''", "\"\""].contains(parts[1]) else { return nil }
            return parts[0].lowercased()
        }
        return ["url", "key"].filter { wanted in !names.contains { $0.hasSuffix(wanted) } }
    }

    /// The hooks take a proxy from their configuration only. The values are not shown: they may hold a password.
    private func proxy() -> DoctorCheck {
        let names = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
        let lines = ((try? readTextFile(configPath)) ?? "").split(whereSeparator: \.isNewline)
        let configured = lines.last { $0.hasPrefix("proxy=") }.map { String($0.dropFirst("proxy=".count)) }
        let ignored = names.filter { name in environment.nonEmpty(name).map { $0 != configured } ?? false }
        guard !ignored.isEmpty else {
            return .ok("proxy", configured == nil ? "none" : "as \(configPath) says")
        }
        return .warning(
            "proxy",
            "the hooks ignore these variables of the environment: \(ignored.joined(separator: ", "))",
            do: "if this machine needs the proxy to reach the server: run hooks/install.sh again in this shell"
        )
    }

    private func curl() -> DoctorCheck {
        let places = (environment["PATH"] ?? "").split(separator: ":").map { "\($0)/curl" }
        guard let found = places.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            return .failed("curl", "not in PATH", do: "install curl, which the hooks need (apt install curl)")
        }
        return .ok("curl", found)
    }

    /// An event consists of one or more spool files with the same name. `last_error` exists until a delivery
    /// succeeds.
    private func spool() -> DoctorCheck {
        let base = (environment.nonEmpty("XDG_STATE_HOME") ?? home + "/.local/state") + "/claude-monitor"
        let files = (try? FileManager.default.contentsOfDirectory(atPath: base + "/spool")) ?? []
        let waiting = Set(files.filter { !$0.hasPrefix(".") }.map { $0.prefix { $0 != "." } }).count
        let said = (try? readTextFile(base + "/last_error"))?.trimmed.components(separatedBy: .newlines).last ?? ""
        guard waiting > 0 || !said.isEmpty else { return .ok("spool", "empty") }
        let error = said.isEmpty ? "" : "; last error: \(said)"
        let advice = "the next event sends them; if not, check that this machine can reach the server"
        return .warning("spool", "\(waiting) events wait to be sent\(error)", do: advice)
    }
}
