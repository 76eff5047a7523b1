package import JSON
internal import MachinePolicy
internal import Workers

extension GitRepository {
    /// Makes a repository in a folder that has none.
    package static func create(
        in directory: String,
        branch: String?,
        _ settings: GitSettings
    ) throws(GitError) -> JSONValue {
        guard settings.isWithinRoots(directory) else { throw .outsideRoots(directory) }
        guard settings.trusts(directory) else { throw .untrusted(directory) }
        let name = try GitName.checked(branch ?? "main", "branch")
        guard SmallFile.realPath(directory + "/.git") == nil else {
            throw .failed("\(directory) is a git repository already.")
        }
        let words = [
            "-C", directory, "-c", "core.hooksPath=/dev/null", "-c", "init.templateDir=", "init", "-q",
            "--initial-branch=\(name)",
        ]
        var process = ShortProcess(
            settings.program,
            words.map { Array($0.utf8) },
            environment: GitEnvironment.make(from: settings.environment, reads: false, isTrusted: true),
            seconds: 20
        )
        (process.errors, process.hasOwnSession) = (.kept, true)
        guard let done = try? process.run() else { throw .unusable("Git cannot be started.") }
        guard done.status == 0 else { throw GitWords.failure(GitWords.shown(done.errors), output: "") }
        return .object([
            ("success", .bool(true)), ("branch", .string(name)),
            ("message", .string("Initialized an empty repository")),
        ])
    }

    package func addRemote(_ name: String, url: String, fetches: Bool) throws(GitError) -> JSONValue {
        try requireTrust()
        let name = try GitName.checked(name, "remote")
        // `ext::` and the like name a program.
        guard !url.hasPrefix("-"), !url.contains("::"), url.utf8.allSatisfy({ $0 > 32 && $0 != 127 }) else {
            throw .invalid("The address of the remote is not one that git fetches from without a helper program.")
        }
        _ = try write(["remote", "add", "--", name, url], [], .writing())
        let shown = GitWords.masked(url)
        var members: [(String, JSONValue)] = [
            ("success", .bool(true)), ("message", .string("Added \(name)")),
            (
                "remote",
                .object([("name", .string(name)), ("fetch_url", .string(shown)), ("push_url", .string(shown))])
            ),
        ]
        if fetches {
            do throws(GitError) {
                let fetched = try fetch(remote: name, prunes: false)
                members.append(("fetched_branches", fetched["new_branches"] ?? .array([])))
            } catch {
                members.append(("fetch_error", .string("\(error)")))
            }
        }
        return .object(members)
    }

    package func removeRemote(_ name: String) throws(GitError) -> JSONValue {
        try requireTrust()
        let name = try GitName.checked(name, "remote")
        _ = try write(["remote", "remove", name], [], .writing())
        return .object([("success", .bool(true)), ("message", .string("Removed \(name)"))])
    }
}
