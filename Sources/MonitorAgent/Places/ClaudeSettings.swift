internal import MachinePolicy

/// Claude Code's own files.
enum ClaudeSettings {
    /// The directory that the environment names in place of `~/.claude`.
    static func directory(_ environment: [String]) -> String? {
        Environment.value("CLAUDE_CONFIG_DIR", environment).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// No session may widen by itself what the files of the machine and of Claude Code allow.
    static func denyRules(_ places: AgentPlaces, _ files: MachineFiles, _ environment: [String]) -> [String] {
        let settings = directory(environment) ?? places.home + "/.claude"
        let record = FolderTrust.recordPath(home: places.home, configuration: directory(environment))
        var paths = [files.agentPath, files.approvalsPath]
        paths += [places.configuration, places.environment, places.releaseKey]
        paths += [record, settings + "/settings*.json"]
        // A rule names the path that the tool is given, which may be the real one.
        for path in paths {
            let parent = SmallFile.parent(of: path)
            guard let real = SmallFile.realPath(parent), real != parent else { continue }
            paths.append(real + path.dropFirst(parent.utf8.count))
        }
        return paths.flatMap { path in ["Edit", "Write"].map { "\($0)(/\(path))" } }
    }
}

/// The file `agent.env`: variables of the person's shell, which a service does not get. Lines `NAME=value`, data that
/// is never executed.
enum StoredEnvironment {
    static func read(_ path: String) -> [String] {
        guard case .text(let text, _, let mode) = SmallFile.read(path, atMost: 64 << 10), mode & 0o077 == 0 else {
            return []
        }
        return text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            guard let entry = String(validating: line, as: UTF8.self), entry.contains("="), !entry.hasPrefix("#") else {
                return nil
            }
            return entry
        }
    }
}
