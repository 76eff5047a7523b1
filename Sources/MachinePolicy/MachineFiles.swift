internal import Glibc

/// The machine's files, read anew each time.
package struct MachineFiles: Sendable {
    /// The directory of the files `config`, `agent` and `approvals`.
    package let directory: String
    package let home: String

    package init(directory: String, home: String) {
        (self.directory, self.home) = (directory, home)
    }

    package var agentPath: String { directory + "/agent" }
    package var approvalsPath: String { directory + "/approvals" }

    /// The file `agent`. One that others can write, or replace, allows nothing.
    package func agent() -> AgentFile {
        switch SmallFile.read(agentPath, atMost: 64 << 10) {
        case .absent: return .absent
        case .unreadable(let reason): return .faulty(reason)
        case .text(let text, let owner, let mode):
            if let reason = MachineFiles.openness(owner, mode) { return .faulty("it \(reason)") }
            for place in Set([directory, SmallFile.parent(of: SmallFile.realPath(agentPath) ?? agentPath)]) {
                guard let (owner, mode) = SmallFile.facts(of: place) else { return .faulty("it cannot be looked at") }
                if let reason = MachineFiles.openness(owner, mode) { return .faulty("its directory \(reason)") }
            }
            return AgentFile(text, home: home)
        }
    }

    private static func openness(_ owner: UInt32, _ mode: UInt32) -> String? {
        if mode & 0o022 != 0 { return "can be written by others; close it: chmod go-w" }
        if owner != 0, owner != geteuid() { return "belongs to another user" }
        return nil
    }

    /// The approvals file, as the hooks find it.
    package func approvals() -> Approvals {
        switch SmallFile.read(approvalsPath, atMost: 1 << 20) {
        case .absent: .absent
        case .unreadable: .unreadable
        case .text(let text, _, _): Approvals(text)
        }
    }

    /// Whether the folder is trusted, by a person or by the file. A worktree is trusted if its repository is.
    ///
    /// - Parameter directory: a real path.
    package func trusts(_ directory: String, _ file: AgentFile, configuration: String?) -> Bool {
        let repository = FolderTrust.repository(
            ofWorktree: directory,
            read: { SmallFile.text($0, atMost: 4096) },
            realPath: SmallFile.realPath
        )
        let folders = [directory] + (repository.map { [$0] } ?? [])
        let trusted = file.isUsable ? file.trusted.map(MachinePlace.plain) : []
        if folders.contains(where: { trusted.contains($0) && SmallFile.realPath($0) == $0 }) { return true }
        let record = FolderTrust.recordPath(home: home, configuration: configuration)
        guard case .text(let text, _, _) = SmallFile.read(record, atMost: 64 << 20) else { return false }
        return folders.contains { FolderTrust.isAccepted($0, record: text) }
    }

    /// The time of day, HH:MM, for quiet hours.
    ///
    /// - Parameter seconds: since 1970-01-01T00:00:00Z.
    package static func timeOfDay(at seconds: Int64) -> String {
        var now = time_t(seconds)
        var parts = unsafe tm()
        unsafe localtime_r(&now, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return unsafe two(parts.tm_hour) + ":" + two(parts.tm_min)
    }

    /// Why the program may not be run; `nil` if it may. A program that others can write, or that stands inside a root,
    /// where sessions write, could be replaced.
    ///
    /// - Parameter path: absolute.
    package static func fault(ofProgram path: String, _ file: AgentFile) -> String? {
        guard path.hasPrefix("/"), let real = SmallFile.realPath(path) else { return "there is no program \(path)" }
        for place in [path, real] {
            if file.roots.contains(where: { MachinePlace.contains(MachinePlace.plain($0.path), place) }) {
                return "\(place) stands inside a root, where sessions can write it"
            }
        }
        guard unsafe access(real, X_OK) == 0 else { return "\(real) cannot be run" }
        for place in [real, SmallFile.parent(of: real), SmallFile.parent(of: path)] {
            guard let (owner, mode) = SmallFile.facts(of: place) else { return "\(place) cannot be looked at" }
            if let reason = openness(owner, mode) { return "\(place) \(reason)" }
        }
        return nil
    }
}
