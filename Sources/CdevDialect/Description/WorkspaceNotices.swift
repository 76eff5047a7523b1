import EventModel
import JSON
import RPC

/// The notifications about workspaces that somebody follows, as documents describe them.
enum WorkspaceNotices {
    static let all: [OpenRPCDocument.Notification] = [
        OpenRPCDocument.Notification(
            "event/file_changed",
            "A file of a workspace that this client follows has changed. Not in the log, so without 'seq'.",
            "FileChanged"
        ),
        OpenRPCDocument.Notification(
            "event/git_status_changed",
            "The state of the repository of such a workspace has changed. Not in the log.",
            "GitStatusChanged"
        ),
        OpenRPCDocument.Notification(
            "event/watch_changed",
            "The machine's agent watches such a workspace in another way. Not in the log.",
            "WatchChanged"
        ),
    ]

    static let schemas =
        fileChanged.definitions + gitStatusChanged.definitions + watchChanged.definitions

    private static let fileChanged = notice("FileChanged", .fileChanged) { it in
        it.member("path") { _ in "" }
        it.member("path_b64") { _ in String?.none }
        it.member("change", as: JSONSchema.words("created", "modified", "deleted", "renamed")) { _ in "" }
        it.member("old_path") { _ in String?.none }
        it.member("old_path_b64") { _ in String?.none }
        it.member("size") { _ in Int64?.none }
        it.member("is_directory") { _ in Bool?.none }
        it.member("is_secret") { _ in Bool?.none }
        it.member("is_cut") { _ in Bool?.none }
        it.member("tool_use_id") { _ in String?.none }
        it.member("tool_name") { _ in String?.none }
    }

    private static let gitStatusChanged = notice("GitStatusChanged", .gitStatusChanged) { it in
        for name in ["branch", "head", "upstream", "state", "operation"] { it.member(name) { _ in "" } }
        for name in ["ahead", "behind", "staged_count", "unstaged_count", "untracked_count"] {
            it.member(name) { _ in Int64(0) }
        }
        for name in ["is_detached", "has_conflicts", "is_truncated"] { it.member(name) { _ in false } }
        it.member("changed_files") { _ in [String]() }
    }

    private static let watchChanged = notice("WatchChanged", .watchChanged) { it in
        it.member("part", as: JSONSchema.words("files", "git")) { _ in "" }
        it.member("mode", as: JSONSchema.words("events", "polling", "off")) { _ in "" }
        it.memberOrNull("reason") { _ in String?.none }
    }

    private static func notice(
        _ name: SchemaName,
        _ type: EventType,
        payload: @escaping (inout ObjectShape<Void>) -> Void
    ) -> ObjectShape<Void> {
        ObjectShape<Void>(name) { it in
            it.constant("event", type.rawValue)
            it.constant("type", type.rawValue)
            it.member("timestamp") { _ in "" }
            it.member("workspace_id") { _ in "" }
            it.member("session_id") { _ in String?.none }
            it.constant("agent_type", "claude")
            it.object("payload", payload)
        }
    }
}
