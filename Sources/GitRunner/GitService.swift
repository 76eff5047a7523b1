package import JSON
internal import Workers

/// Carries out requests to git. May be used on any thread.
package struct GitService: Sendable {
    private let writers: GitWriters

    package init(writers: GitWriters = GitWriters()) { self.writers = writers }

    /// - Parameter directory: a real path. The repository is its own, or that of a directory above it.
    package func run(
        _ request: GitRequest,
        in directory: String,
        _ settings: GitSettings
    ) async throws(GitError) -> JSONValue {
        guard request.isWrite else {
            return try await runBlocking { () throws(GitError) in
                try GitService.read(request, in: directory, settings)
            }
        }
        let place = try? GitPlace.find(from: directory, isWithinRoots: settings.isWithinRoots)
        return try await writers.withTurn(place?.commonDirectory ?? directory) { () async throws(GitError) in
            try await runBlocking { () throws(GitError) in try GitService.write(request, in: directory, settings) }
        }
    }

    private static func read(
        _ request: GitRequest,
        in directory: String,
        _ settings: GitSettings
    ) throws(GitError) -> JSONValue {
        let repository: GitRepository
        do throws(GitError) {
            repository = try GitRepository(at: directory, settings)
        } catch {
            // That there is none is a state too.
            guard error == .notARepository, case .state = request else { throw error }
            return GitRepository.noRepository
        }
        switch request {
        case .status: return try repository.status()
        case .state: return try repository.state()
        case .branches: return try repository.branches()
        case .stashes: return try repository.stashes()
        case .remotes: return try repository.remoteList()
        case .worktrees: return try repository.worktrees()
        case .diff(let diff): return try repository.diff(diff)
        case .log(let log): return try repository.log(log)
        case .show(let name, let diff): return try repository.show(name, diff)
        default: throw .invalid("The request changes something.")
        }
    }

    private static func write(
        _ request: GitRequest,
        in directory: String,
        _ settings: GitSettings
    ) throws(GitError) -> JSONValue {
        if case .create(let branch) = request {
            return try GitRepository.create(in: directory, branch: branch, settings)
        }
        let repository = try GitRepository(at: directory, settings)
        try repository.requireTrust()
        let store = DiscardStore(settings)
        switch request {
        case .stage(let paths): return try repository.stage(paths)
        case .unstage(let paths): return try repository.unstage(paths)
        case .discard(let paths): return try repository.discard(paths, store)
        case .hunks(let hunks): return try repository.apply(hunks, store)
        case .undo(let id): return try repository.undo(id, store)
        case .commit(let commit): return try repository.commit(commit)
        case .push(let push): return try repository.push(push)
        case .pull(let rebases): return try repository.pull(rebases: rebases)
        case .fetch(let remote, let prunes): return try repository.fetch(remote: remote, prunes: prunes)
        case .checkout(let branch, let creates): return try repository.checkout(branch, creates: creates)
        case .createBranch(let branch, let from): return try repository.createBranch(branch, from: from)
        case .deleteBranch(let branch, let isForced):
            return try repository.deleteBranch(branch, isForced: isForced)
        case .setUpstream(let branch, let upstream): return try repository.setUpstream(branch, to: upstream)
        case .stash(let message, let includesUntracked):
            return try repository.stash(message: message, includesUntracked: includesUntracked)
        case .stashVerb(let verb, let index): return try repository.stash(verb, index)
        case .merge(let branch, let noFastForward, let message):
            return try repository.merge(branch, noFastForward: noFastForward, message: message)
        case .abortMerge: return try repository.abortMerge()
        case .addRemote(let name, let url, let fetches):
            return try repository.addRemote(name, url: url, fetches: fetches)
        case .removeRemote(let name): return try repository.removeRemote(name)
        default: throw .invalid("The request changes nothing.")
        }
    }
}
