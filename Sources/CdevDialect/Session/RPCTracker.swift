package import JSON

/// What is known of a workspace's repository.
package struct RPCTracker: Sendable, Equatable {
    /// `healthy`, `unhealthy`, `unavailable` or `not_git`.
    package var state: String
    package var error: String
    package var git: Git?

    package init(state: String, error: String, git: Git? = nil) {
        (self.state, self.error, self.git) = (state, error, git)
    }

    /// The members that cdev's clients need all.
    package struct Git: Sendable, Equatable {
        package var branch: String
        package var isInitialized: Bool
        package var hasRemotes: Bool
        package var ahead: Int64
        package var behind: Int64
        package var staged: Int64
        package var unstaged: Int64
        package var untracked: Int64
        package var hasConflicts: Bool
        package var state: String

        /// - Parameter status: with the counts.
        package init(_ status: JSONValue) {
            func count(_ name: String) -> Int64 { status[name]?.integer ?? 0 }
            branch = status["branch"]?.string ?? ""
            isInitialized = status["is_git_repo"]?.bool ?? true
            hasRemotes = status["has_remotes"]?.bool ?? false
            (ahead, behind) = (count("ahead"), count("behind"))
            (staged, unstaged, untracked) = (count("staged_count"), count("unstaged_count"), count("untracked_count"))
            hasConflicts = status["has_conflicts"]?.bool ?? false
            state = status["state"]?.string ?? "unknown"
        }

        static let shape = ObjectShape<Git>("WorkspaceGit") { it in
            it.member("initialized") { $0.isInitialized }
            it.member("branch") { $0.branch }
            it.member("has_remotes") { $0.hasRemotes }
            it.member("ahead") { $0.ahead }
            it.member("behind") { $0.behind }
            it.member("staged_count") { $0.staged }
            it.member("unstaged_count") { $0.unstaged }
            it.member("untracked_count") { $0.untracked }
            it.member("has_conflicts") { $0.hasConflicts }
            it.member("state") { $0.state }
        }
    }
}
