import EventModel
import JSON
import Sessions

/// A workspace as cdev's clients read it. `git` is omitted as long as nothing is known, because a client treats an
/// incomplete one as a broken list. cdev's app treats a missing or false `is_git_repo` as "no repository", and asks to
/// create one before it opens the workspace. Therefore it is true unless there is none, and `git_state` says if nothing
/// is known.
struct WorkspaceView {
    let workspace: WorkspaceRecord
    /// The most recently active session first.
    let sessions: [SessionView]
    /// The session that the asking client has chosen here.
    let chosen: String?
    /// The session that a client watches here, as far as it was asked for.
    var watched: String?
    var tracker: RPCTracker?

    private var running: [SessionView] { sessions.filter(\.isRunning) }

    static let shape = ObjectShape<WorkspaceView>("Workspace") { it in
        it.member("id") { $0.workspace.id }
        it.member("name") { $0.workspace.name }
        it.member("path") { $0.workspace.path }
        it.member("auto_start") { $0.workspace.autoStart }
        it.member("created_at") { $0.workspace.createdAt }
        it.member("last_active") { $0.workspace.lastActivityAt }
        it.member("machine_name") { $0.workspace.machineName }
        describeGit(&it)
        it.object("git", RPCTracker.Git.shape) { $0.tracker?.git }
        it.list("sessions", of: SessionView.shape) { $0.sessions }
        describeActivity(&it)
    }

    static let status = ObjectShape<WorkspaceView>("WorkspaceStatus") { it in
        it.member("workspace_id") { $0.workspace.id }
        it.member("workspace_name") { $0.workspace.name }
        it.member("path") { $0.workspace.path }
        it.member("auto_start") { $0.workspace.autoStart }
        it.member("created_at") { $0.workspace.createdAt }
        it.list("sessions", of: SessionView.shape) { $0.running }
        describeActivity(&it)
        it.member("git_tracker_state", as: trackerStates) { $0.tracker?.state ?? "unavailable" }
        it.member("git_repo_name") { DirectoryPath.lastPart(of: $0.workspace.path) }
        describeGit(&it)
        it.member("git_last_error") { $0.tracker?.error ?? "" }
        it.member("is_being_watched") { $0.watched != nil }
        it.member("watched_session_id") { $0.watched ?? "" }
    }

    private static func describeGit(_ it: inout ObjectShape<WorkspaceView>) {
        it.member("is_git_repo") { $0.tracker?.state != "not_git" }
        it.member("git_state") { $0.tracker?.state == "not_git" ? "no_git" : $0.tracker?.git?.state ?? "unknown" }
    }

    private static let trackerStates = JSONSchema.words("healthy", "unhealthy", "unavailable", "not_git")

    private static func describeActivity(_ it: inout ObjectShape<WorkspaceView>) {
        it.member("active_session_count") { $0.running.count }
        it.member("has_active_session") { !$0.running.isEmpty }
        it.member("active_session_id") { $0.chosen ?? $0.running.first?.session.id ?? "" }
    }
}
