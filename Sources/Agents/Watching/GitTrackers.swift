package import EventModel
package import JSON
internal import Synchronization

/// What is known of the repository of one workspace.
package struct GitTracker: Sendable, Equatable {
    package enum State: String, Sendable, CaseIterable {
        case healthy
        /// Git has failed. The next answer of git ends this.
        case unhealthy
        /// Nobody can ask: no agent is connected, or the machine's file does not allow it.
        case unavailable
        case notRepository = "not_git"
    }

    package var machine: MachineID
    package var state: State
    /// The last status with its counts.
    package var status: JSONValue?
    package var error = ""
    /// On the steady clock.
    var checkedAt: Timestamp
    /// The agent tells each change.
    var isWatched = false
}

/// The trackers of all workspaces whose repositories somebody has asked about or follows. May be used on any thread.
package final class GitTrackers: Sendable {
    /// Seconds for which a status counts that nobody keeps up to date.
    static let freshSeconds = 60.0
    /// More are not kept.
    private static let most = 2000

    private let trackers = Mutex<[String: GitTracker]>([:])

    package init() {}

    /// - Parameter now: on the steady clock.
    package func tracker(of workspace: String, now: Timestamp) -> GitTracker? {
        guard var tracker = trackers.withLock({ $0[workspace] }) else { return nil }
        if !tracker.isWatched, now.seconds(since: tracker.checkedAt) > GitTrackers.freshSeconds { tracker.status = nil }
        return tracker
    }

    /// Records what an agent that watches the repository says.
    ///
    /// - Returns: whether the state is another one than the last that was known.
    package func note(_ change: AgentGitChange, on machine: MachineID, now: Timestamp) -> Bool {
        trackers.withLock { trackers in
            let before = trackers[change.workspaceID]
            var tracker = GitTracker(machine: machine, state: change.state, status: change.status, checkedAt: now)
            // That there is no repository is no error.
            (tracker.error, tracker.isWatched) = (change.state == .notRepository ? "" : change.error, true)
            GitTrackers.keep(tracker, of: change.workspaceID, in: &trackers)
            guard let status = change.status, let before, before.machine == machine else { return false }
            return before.status != nil && before.status != status || before.state != change.state
        }
    }

    /// Records the answer to `git/status`.
    func note(status: JSONValue, of workspace: String, on machine: MachineID, now: Timestamp) {
        func count(_ name: String) -> JSONValue { .integer(Int64(status[name]?.array?.count ?? 0)) }
        guard case .object(let members) = status else { return }
        let lists: Set<String> = ["staged", "unstaged", "untracked", "conflicted"]
        let conflicts = status["conflicted"]?.array?.count ?? 0
        let kept = JSONValue.object(
            members.filter { !lists.contains($0.0) } + [
                ("has_remotes", .bool(status["remotes"]?.array?.isEmpty == false)), ("staged_count", count("staged")),
                ("unstaged_count", .integer(Int64((status["unstaged"]?.array?.count ?? 0) + conflicts))),
                ("untracked_count", count("untracked")),
            ]
        )
        trackers.withLock { trackers in
            // Who watches knows better.
            if let tracker = trackers[workspace], tracker.isWatched, tracker.state == .healthy { return }
            let isWatched = trackers[workspace]?.isWatched ?? false
            var tracker = GitTracker(machine: machine, state: .healthy, status: kept, checkedAt: now)
            tracker.isWatched = isWatched
            GitTrackers.keep(tracker, of: workspace, in: &trackers)
        }
    }

    /// Records that git failed, or that there is nobody to ask.
    func note(_ state: GitTracker.State, _ error: String, of workspace: String, on machine: MachineID, now: Timestamp) {
        trackers.withLock { trackers in
            var tracker = GitTracker(machine: machine, state: state, checkedAt: now)
            tracker.error = state == .notRepository ? "" : error
            tracker.isWatched = trackers[workspace]?.isWatched ?? false
            if state == .unhealthy { tracker.status = trackers[workspace]?.status }
            GitTrackers.keep(tracker, of: workspace, in: &trackers)
        }
    }

    /// Something has changed in the repository that nobody watches.
    func forget(_ workspace: String) {
        trackers.withLock { trackers in
            if trackers[workspace]?.isWatched == false { trackers[workspace] = nil }
        }
    }

    /// The agent of the machine watches the repositories of these workspaces and of no others.
    package func watched(_ workspaces: Set<String>, on machine: MachineID, now: Timestamp) {
        trackers.withLock { trackers in
            for (workspace, tracker) in trackers where tracker.machine == machine && tracker.isWatched {
                guard !workspaces.contains(workspace) else { continue }
                trackers[workspace]?.isWatched = false
                trackers[workspace]?.checkedAt = now
            }
        }
    }

    private static func keep(_ tracker: GitTracker, of workspace: String, in trackers: inout [String: GitTracker]) {
        if trackers[workspace] == nil, trackers.count >= most,
            let oldest = trackers.min(by: { $0.value.checkedAt < $1.value.checkedAt })
        {
            trackers[oldest.key] = nil
        }
        trackers[workspace] = tracker
    }
}
