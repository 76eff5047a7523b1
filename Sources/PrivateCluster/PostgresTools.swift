internal import Subprocess
internal import SystemPackage

/// The PostgreSQL programs of one version, run under one account with their own environment.
struct PostgresTools: Sendable {
    struct Outcome: Sendable {
        let exitCode: Int32
        let output: String

        var succeeded: Bool { exitCode == 0 }
        var lastLines: String { LogExcerpt.lastLines(of: output) }
    }

    static let required = ["initdb", "pg_ctl", "postgres", "psql"]

    let binaryDirectory: String
    let identity: ServiceIdentity

    /// `program` is a PostgreSQL program or a full path. Returns standard output and error together, at most 64 KiB.
    /// After `limit` seconds, or when the calling task is cancelled, the program gets SIGTERM, and SIGKILL two
    /// seconds later.
    func run(
        _ program: String,
        _ arguments: [String],
        limit: Int = 60
    ) async throws(PrivateClusterError) -> Outcome {
        do {
            return try await withThrowingTaskGroup(of: Outcome.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await execute(command(program, arguments)) }
                group.addTask {
                    try await Task.sleep(for: .seconds(limit))
                    throw PrivateClusterError(.startTimedOut, "\(program) did not end within \(limit) s.")
                }
                guard let outcome = try await group.next() else { throw CancellationError() }
                return outcome
            }
        } catch {
            if Task.isCancelled { throw PrivateClusterError(.cancelled, "\(program) was cancelled.") }
            if let error = error as? PrivateClusterError { throw error }
            throw PrivateClusterError(.startFailed, "\(binaryDirectory)/\(program) could not be run: \(error)")
        }
    }

    private func execute(_ command: [String]) async throws -> Outcome {
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(2))]
        let result = try await Subprocess.run(
            .path(FilePath(command[0])),
            arguments: Arguments(Array(command.dropFirst())),
            environment: .custom([
                "PATH": "\(binaryDirectory):/usr/bin:/bin", "LC_ALL": "C", "PGCONNECT_TIMEOUT": "10",
            ]),
            workingDirectory: "/",
            platformOptions: options,
            output: .string(limit: 65536),
            error: .combinedWithOutput
        )
        // A cancelled program may exit normally; its output is then not a result.
        try Task.checkCancellation()
        switch result.terminationStatus {
        case .exited(let code): return Outcome(exitCode: code, output: result.standardOutput)
        case .signaled(let signal): return Outcome(exitCode: 128 + signal, output: result.standardOutput)
        }
    }

    /// `setpriv` (util-linux) changes the user instead of Subprocess's `userID`. With `userID`, Subprocess calls
    /// glibc's `setgid` in a child created by a bare `clone3`, where it can wait forever for a thread that exists
    /// only in the parent. Without a change of user, Subprocess uses `posix_spawn`.
    private func command(_ program: String, _ arguments: [String]) -> [String] {
        let command = [program.hasPrefix("/") ? program : "\(binaryDirectory)/\(program)"] + arguments
        guard identity.needsSwitch else { return command }
        let groups = identity.groupIDs.map(String.init).joined(separator: ",")
        return [
            "/usr/bin/setpriv", "--reuid=\(identity.userID)", "--regid=\(identity.groupID)", "--groups=\(groups)",
        ] + command
    }
}
