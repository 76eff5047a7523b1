internal import Subprocess
internal import SystemPackage

/// The PostgreSQL programs of one version, run as one account with an environment of their own.
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

    /// `program` is one of PostgreSQL's, or a whole path. Standard output and error together, at most 64 KiB. When the calling task is cancelled, the program gets SIGTERM,
    /// and SIGKILL two seconds later.
    func run(_ program: String, _ arguments: [String]) async throws(PrivateClusterError) -> Outcome {
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [.gracefulShutDown(allowedDurationToNextStep: .seconds(2))]
        if identity.needsSwitch {
            options.userID = identity.userID
            options.groupID = identity.groupID
            options.supplementaryGroups = identity.groupIDs
        }
        do {
            let result = try await Subprocess.run(
                .path(FilePath(program.hasPrefix("/") ? program : "\(binaryDirectory)/\(program)")),
                arguments: Arguments(arguments),
                environment: .custom(["PATH": "\(binaryDirectory):/usr/bin:/bin", "LC_ALL": "C"]),
                workingDirectory: "/",
                platformOptions: options,
                output: .string(limit: 65536),
                error: .combinedWithOutput
            )
            // A cancelled program may end in good order; what it says is then no finding.
            try Task.checkCancellation()
            let output = result.standardOutput
            switch result.terminationStatus {
            case .exited(let code): return Outcome(exitCode: code, output: output)
            case .signaled(let signal): return Outcome(exitCode: 128 + signal, output: output)
            }
        } catch {
            if Task.isCancelled { throw PrivateClusterError(.cancelled, "\(program) was cancelled.") }
            throw PrivateClusterError(.startFailed, "\(binaryDirectory)/\(program) could not be run: \(error)")
        }
    }
}
