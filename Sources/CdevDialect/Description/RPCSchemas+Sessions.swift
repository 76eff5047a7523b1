import JSON

extension JSONSchema {
    static let workspaces: [(SchemaName, String)] = [
        (
            "Workspace",
            object([
                "id": text, "name": text, "path": text, "auto_start": flag, "created_at": time, "last_active": time,
                "machine_name": text, "is_git_repo": flag, "git_state": words("unknown"),
                "sessions": list("RPCSession"), "active_session_count": count, "has_active_session": flag,
                "active_session_id": text,
            ])
        ),
        ("WorkspaceList", object(["workspaces": list("Workspace"), "count": count, "total": count])),
        (
            "WorkspaceStatus",
            object([
                "workspace_id": text, "workspace_name": text, "path": text, "auto_start": flag, "created_at": time,
                "sessions": list("RPCSession"), "active_session_count": count, "has_active_session": flag,
                "active_session_id": text, "git_tracker_state": text, "git_repo_name": text, "is_git_repo": flag,
                "git_state": words("unknown"), "git_last_error": text, "is_being_watched": flag,
                "watched_session_id": text,
            ])
        ),
        ("RemovedWorkspace", object(["success": flag, "message": text, "id": text, "workspace_id": text])),
    ]

    static let sessions: [(SchemaName, String)] = [
        (
            "RPCSession",
            object([
                "id": text, "session_id": text, "workspace_id": text, "status": words("running", "historical"),
                "agent_type": words("claude"), "project_path": text, "started_at": time, "start_time": time,
                "last_active": time, "last_updated": time, "summary": text, "message_count": count, "branch": text,
                "viewers": texts, "claude_state": words("running", "waiting", "idle", "error"), "machine_name": text,
                "model?": text,
            ])
        ),
        (
            "SessionState",
            all(
                of: one("RPCSession"),
                object([
                    "claude_session_id": text, "is_running": flag, "waiting_for_input": flag,
                    "pending_tool_use_id?": text, "pending_tool_name?": text, "permission_mode?": text,
                    "last_seq": count, "error?": text,
                ])
            )
        ),
        (
            "OpenedSession",
            object([
                "id": text, "session_id": text, "workspace_id": text, "status": words("existing"),
                "source": words("live", ""), "agent_type": words("claude"), "has_pending_permission": flag,
                "message": text,
            ])
        ),
        ("SessionList", object(["sessions": list("RPCSession"), "total": count, "has_more": flag])),
        ("ActiveSessions", object(["sessions": list("RPCSession"), "total": count])),
        (
            "DeletedSession",
            object([
                "status": words("deleted"), "success": flag, "session_id": text, "workspace_id": text,
                "deleted": count, "message": text,
            ])
        ),
        (
            "PermissionRequest",
            object([
                "tool_use_id": text, "session_id": text, "workspace_id": text, "tool_name": text, "tool_input": any,
                "created_at": time, "seq?": count,
            ])
        ),
        (
            "PendingPermissions",
            object(["requests": list("PermissionRequest"), "count": count, "total": count])
        ),
        (
            "PermissionStatistics",
            object([
                "pending": count, "pending_requests": count, "waiting_sessions": count, "running_sessions": count,
                "total": count,
            ])
        ),
    ]
}
