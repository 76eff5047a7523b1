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

    /// Paths of this machine lead out of the roots, and `ext::` and the like name a program. Others can read a password
    /// among the arguments of a process.
    static func isAddress(_ url: String) -> Bool {
        guard url.utf8.allSatisfy({ $0 > 32 && $0 != 127 }), !url.contains("::") else { return false }
        for scheme in ["https://", "ssh://"] where url.hasPrefix(scheme) {
            let authority = url.dropFirst(scheme.count).prefix { $0 != "/" }
            let parts = authority.split(separator: "@", omittingEmptySubsequences: false)
            guard let host = parts.last, !host.isEmpty, !host.hasPrefix("-"), !authority.hasPrefix("-") else {
                return false
            }
            return parts.count == 1 || parts.count == 2 && !parts[0].contains(":")
        }
        let parts = url.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let host = parts[0].split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && host.count == 2 && !host[0].isEmpty && !host[1].isEmpty
            && !parts[0].contains("/") && !parts[0].hasPrefix("-") && !host[1].hasPrefix("-")
    }

    package func addRemote(_ name: String, url: String, fetches: Bool) throws(GitError) -> JSONValue {
        try requireTrust()
        let name = try GitName.checked(name, "remote")
        guard GitRepository.isAddress(url) else {
            throw .invalid(
                "The address of the remote must begin with https://, ssh:// or user@host: and hold no password."
            )
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
