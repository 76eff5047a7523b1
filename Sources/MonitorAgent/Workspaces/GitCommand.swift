internal import EventModel
internal import GitRunner
internal import Host
internal import JSON
internal import MachinePolicy
internal import RPC
internal import Workers

/// `git/<verb>`: reads and changes of a repository.
struct GitCommand: WorkspaceCommand {
    static let methods = Set(GitVerbs.names.map { "git/" + $0 })

    /// The folder, as it was named.
    let directory: String
    let request: GitRequest
    private let named: [(String, JSONValue)]

    init(_ method: String, _ params: RPCParams) throws(RPCError) {
        directory = try params.required("path", limit: 4096)
        guard directory.hasPrefix("/"), !directory.utf8.contains(0) else {
            throw .invalidParameter("path", "is not an absolute path")
        }
        request = try GitVerbs.request(String(method.dropFirst(4)), params)
        named = GitVerbs.recorded(params)
    }

    var recorded: [(String, JSONValue)] { [("path", .string(String(directory.prefix(1024))))] + named }
    var isKept: Bool { request.isWrite }

    func run(_ context: WorkspaceContext) async throws -> JSONValue {
        try context.file.requireUsable()
        guard let real = await runBlocking({ SmallFile.realPath(directory) }), SmallFile.isDirectory(real) else {
            // Whether something exists outside the roots is nobody's business.
            throw CommandRefusal(.outsideRoots, "\(directory) is no directory below a root of this machine.")
        }
        let root = try context.root(of: real, as: directory)
        guard root.allowance.git >= request.need.word else {
            throw CommandRefusal(
                .notAllowed,
                "The machine's file agent says git=\(root.allowance.git.rawValue) there; "
                    + "this needs git=\(request.need.word.rawValue)."
            )
        }
        do throws(GitError) {
            let program = try await context.services.git.program(context)
            let settings = GitCommand.settings(program, context, need: request.need.word)
            guard (try? OwnFile.makeDirectory(context.places.git)) != nil else {
                throw GitError.unusable("\(context.places.git) cannot be made.")
            }
            if request.isWrite { try GitCommand.protect(real, settings, context) }
            let result = try await context.services.git.service.run(request, in: real, settings)
            return try GitCommand.bounded(result)
        } catch {
            throw CommandRefusal.refusal(error)
        }
    }

    /// - Parameter word: what the machine's file must allow at each place.
    static func settings(_ program: String, _ context: WorkspaceContext, need word: AgentFile.Git) -> GitSettings {
        let own = [context.places.directory, SmallFile.parent(of: context.places.state)].compactMap(SmallFile.realPath)
        return GitSettings(
            program: program,
            environment: context.environment,
            stateDirectory: context.places.git,
            // If the repository is below another root, the words of that root apply.
            isWithinRoots: { path in
                (MachinePlace.root(of: path, in: context.file, realPath: SmallFile.realPath)?.allowance.git ?? .off)
                    >= word
            },
            trusts: { context.trusts($0) },
            hides: { path in
                if own.contains(where: { MachinePlace.contains($0, path) }) { return true }
                // The words of the file's own root count, not those of the root that was asked in.
                let root = MachinePlace.root(of: path, in: context.file, realPath: SmallFile.realPath)
                guard let allowance = root?.allowance, allowance.git >= word else { return true }
                return !allowance.showsSecrets && SecretFiles.contain(Array(path.utf8))
            },
            now: { SystemClock.now().microseconds / 1000 }
        )
    }

    /// A repository that contains the files by which the machine judges the agent could be used to change them.
    private static func protect(
        _ directory: String,
        _ settings: GitSettings,
        _ context: WorkspaceContext
    ) throws(GitError) {
        let place = try? GitPlace.find(from: directory, isWithinRoots: settings.isWithinRoots)
        let root = place?.root ?? directory
        let home = context.places.home
        let kept = [
            context.places.directory, SmallFile.parent(of: context.places.state), home + "/.claude",
            home + "/.claude.json",
        ]
        for path in kept {
            let real = SmallFile.realPath(path) ?? path
            if MachinePlace.contains(root, real) || MachinePlace.contains(real, root) {
                throw .invalid("Git changes nothing in a repository that contains \(path).")
            }
        }
    }

    /// A message has room for no more.
    private static let mostBytes = 900 << 10

    private static func bounded(_ result: JSONValue) throws(GitError) -> JSONValue {
        var writer = JSONWriter()
        writer.value(result)
        guard writer.bytes.count <= mostBytes else {
            throw .tooLarge("The answer is too large. Ask for less, such as for one file.")
        }
        return result
    }
}

extension GitRequest.Need {
    /// The word of the machine's file.
    var word: AgentFile.Git {
        switch self {
        case .read: .read
        case .write: .write
        case .push: .push
        case .force: .force
        }
    }
}

extension CommandRefusal {
    static func refusal(_ error: GitError) -> any Error {
        let words = "\(error)"
        return switch error {
        case .notARepository: CommandRefusal(.noRepository, words)
        case .outsideRoots: CommandRefusal(.outsideRoots, words)
        case .invalid: RPCError(code: -32602, message: words)
        case .untrusted: CommandRefusal(.untrusted, words)
        case .failed: CommandRefusal(.gitFailed, words)
        case .conflict: CommandRefusal(.gitConflict, words)
        case .busy: CommandRefusal(.repositoryBusy, words)
        case .timedOut: CommandRefusal(.gitTimeout, words)
        case .changedMeanwhile: CommandRefusal(.changedMeanwhile, words)
        case .secretFile: CommandRefusal(.secretFile, words)
        case .tooLarge: CommandRefusal(.fileTooLarge, words)
        case .notFound: CommandRefusal(.gitNotFound, words)
        case .unusable: CommandRefusal(.gitUnusable, words)
        }
    }
}
