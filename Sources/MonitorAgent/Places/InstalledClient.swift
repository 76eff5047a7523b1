internal import MachinePolicy
internal import Workers

/// The Claude Code of this machine.
struct InstalledClient: Sendable, Equatable {
    var path: String
    /// Empty if the program did not say.
    var version: String

    /// The program that the machine's file names, else the first in the search path. It is not checked yet.
    static func path(_ file: AgentFile, _ environment: [String]) -> String? {
        if file.isUsable, let path = file.claude { return path }
        let search = Environment.value("PATH", environment) ?? ""
        let home = Environment.value("HOME", environment).map { [$0 + "/.local/bin"] } ?? []
        return (search.split(separator: ":").map(String.init) + home)
            .filter { $0.hasPrefix("/") }
            .map { $0 + "/claude" }
            .first { OwnFile.canRun($0) && !SmallFile.isDirectory($0) }
    }

    /// `nil` if there is none, or if it may not be run.
    static func find(_ file: AgentFile, _ environment: [String]) async -> InstalledClient? {
        guard file.isUsable, let path = path(file, environment), MachineFiles.fault(ofProgram: path, file) == nil else {
            return nil
        }
        let done = await runBlocking {
            ShortProcess.run(path, ["--version"], environment: Environment.plain(environment), seconds: 10)
        }
        let word = done?.text.split(whereSeparator: \.isWhitespace).first.map(String.init) ?? ""
        let isVersion = word.utf8.count <= 64 && word.utf8.first.map { (0x30...0x39).contains($0) } == true
        return InstalledClient(path: path, version: isVersion ? word : "")
    }
}

/// Lists of `NAME=value`.
enum Environment {
    static func value(_ name: String, _ list: [String]) -> String? {
        list.last { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.utf8.count + 1)) }
    }

    /// The variables that no program needs more than.
    static func plain(_ list: [String]) -> [String] {
        ["HOME", "PATH", "LANG", "USER", "SHELL", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS"].compactMap { name in
            value(name, list).map { "\(name)=\($0)" }
        }
    }

    static func table(_ list: [String]) -> [String: String] {
        var table: [String: String] = [:]
        for entry in list {
            guard let sign = entry.firstIndex(of: "=") else { continue }
            table[String(entry[..<sign])] = String(entry[entry.index(after: sign)...])
        }
        return table
    }
}
