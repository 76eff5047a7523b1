import EventModel
import JSON
import Sessions

/// A workspace as cdev's clients read it. `git` is left out: a client takes an incomplete one for a broken list, and
/// this server sees no repositories. cdev's app takes a missing `is_git_repo` and a false one for "no repository", and
/// asks to make one before it opens the workspace. So it is true, and `git_state` says that nothing is known.
struct WorkspaceShape {
    let workspace: WorkspaceRecord
    /// The latest active first.
    let sessions: [SessionShape]
    /// The session that the asking client has chosen here.
    let chosen: String?

    private var running: [SessionShape] { sessions.filter(\.isRunning) }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("id", workspace.id)
        writer.field("name", workspace.name)
        writer.field("path", workspace.path)
        writer.field("auto_start", false)
        writer.field("created_at", workspace.createdAt.description)
        writer.field("last_active", workspace.lastActivityAt.description)
        writer.field("machine_name", workspace.machineName)
        writeGit(to: &writer)
        writeSessions(sessions, to: &writer)
        writer.endObject()
    }

    func writeStatus(watched: String?, to writer: inout JSONWriter) {
        writer.field("workspace_id", workspace.id)
        writer.field("workspace_name", workspace.name)
        writer.field("path", workspace.path)
        writer.field("auto_start", false)
        writer.field("created_at", workspace.createdAt.description)
        writeSessions(running, to: &writer)
        writer.field("git_tracker_state", "unavailable")
        writer.field("git_repo_name", workspace.path.split(separator: "/").last.map(String.init) ?? "")
        writeGit(to: &writer)
        writer.field("git_last_error", "")
        writer.field("is_being_watched", (watched != nil))
        writer.field("watched_session_id", watched ?? "")
    }

    private func writeGit(to writer: inout JSONWriter) {
        writer.field("is_git_repo", true)
        writer.field("git_state", "unknown")
    }

    private func writeSessions(_ listed: [SessionShape], to writer: inout JSONWriter) {
        writer.beginArray("sessions")
        for session in listed { session.write(to: &writer) }
        writer.endArray()
        writer.field("active_session_count", running.count)
        writer.field("has_active_session", !running.isEmpty)
        writer.field("active_session_id", chosen ?? running.first?.session.id ?? "")
    }
}
