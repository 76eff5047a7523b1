/// What a person wants of git in a folder.
package enum GitRequest: Sendable {
    case status, state, branches, stashes, remotes, worktrees
    case diff(DiffRequest)
    case log(LogRequest)
    case show(String, DiffRequest)
    case stage([GitPath])
    case unstage([GitPath])
    case discard([GitPath])
    case hunks(HunkRequest)
    case undo(String)
    case commit(GitRepository.CommitRequest)
    case push(GitRepository.PushRequest)
    case pull(rebases: Bool)
    case fetch(remote: String?, prunes: Bool)
    case checkout(String, creates: Bool)
    case createBranch(String, from: String?)
    case deleteBranch(String, isForced: Bool)
    case setUpstream(String?, to: String)
    case stash(message: String?, includesUntracked: Bool)
    case stashVerb(GitRepository.StashVerb, Int)
    case merge(String, noFastForward: Bool, message: String?)
    case abortMerge
    case create(branch: String?)
    case addRemote(String, url: String, fetches: Bool)
    case removeRemote(String)

    /// What the machine's file must allow, in rising order.
    package enum Need: Int, Sendable, Comparable {
        case read, write, push, force

        package static func < (one: Need, other: Need) -> Bool { one.rawValue < other.rawValue }
    }

    package var need: Need {
        switch self {
        case .status, .state, .branches, .stashes, .remotes, .worktrees, .diff, .log, .show: .read
        case .push(let push): push.isForced ? .force : .push
        case .commit(let commit): commit.pushes ? .push : .write
        default: .write
        }
    }

    /// Whether the outcome is that of a change.
    package var isWrite: Bool { need != .read }
}
