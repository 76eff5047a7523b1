internal import GitRunner
internal import MachinePolicy
internal import Synchronization
internal import Workers

/// What commands of git share while the agent runs.
final class GitTools: Sendable {
    let service = GitService()
    /// The programs whose version was found to be new enough.
    private let known = Mutex<Set<String>>([])

    static let oldest = (major: 2, minor: 34)

    /// The git of this machine.
    func program(_ context: WorkspaceContext) async throws(GitError) -> String {
        try await runBlocking { () throws(GitError) in try self.programNow(context) }
    }

    /// The same; blocks the thread.
    func programNow(_ context: WorkspaceContext) throws(GitError) -> String {
        guard let path = GitTools.path(context) else { throw .unusable("This machine has no git.") }
        if let reason = MachineFiles.fault(ofProgram: path, context.file) {
            throw .unusable("Git may not be run: \(reason).")
        }
        guard !known.withLock({ $0.contains(path) }) else { return path }
        let environment = Environment.plain(context.environment)
        let done = ShortProcess.run(path, ["--version"], environment: environment, seconds: 10)
        // `git version 2.39.5 (Apple Git-154)`
        let words = done?.text.split(separator: " ") ?? []
        let numbers = words.count > 2 ? words[2].split(separator: ".").prefix(2).compactMap { Int($0) } : []
        guard numbers.count == 2, (numbers[0], numbers[1]) >= GitTools.oldest else {
            throw .unusable("Git 2.34 or newer is needed.")
        }
        known.withLock { _ = $0.insert(path) }
        return path
    }

    private static func path(_ context: WorkspaceContext) -> String? {
        let search = Environment.value("PATH", context.environment) ?? ""
        return (search.split(separator: ":").map(String.init) + ["/usr/local/bin", "/usr/bin", "/bin"])
            .filter { $0.hasPrefix("/") }
            .map { $0 + "/git" }
            .first { OwnFile.canRun($0) && !SmallFile.isDirectory($0) }
    }
}
