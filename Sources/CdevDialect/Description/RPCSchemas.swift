import EventModel
import JSON

/// The schemas of all results and notifications, each written once.
extension JSONSchema {
    static let rpc: [(SchemaName, String)] =
        conversation + stream + workspaces + sessions + messages + presence + pushAnswers

    private static let conversation: [(SchemaName, String)] = [
        ("Empty", #"{"type":"object","maxProperties":0}"#),
        ("NoResult", #"{"not":{}}"#),
        ("Program", object(["name": text, "version": text])),
        (
            "Initialized",
            object([
                "protocolVersion": words("1.0"), "serverInfo": one("Program"), "server_info": one("Program"),
                "capabilities": one("Capabilities"), "clientId": text, "client_id": text, "epoch": text, "seq": count,
            ])
        ),
        (
            "Capabilities",
            object([
                "agent": flags, "git": flags, "file": flags, "repository": flags, "workspace": flags,
                "events": flags, "granted": texts, "dialects": texts, "notifications": texts, "supportedAgents": texts,
            ])
        ),
        ("ShutDown", object(["success": flag, "status": words("ok")])),
        ("RPCHealth", object(["status": words("healthy", "degraded"), "healthy": flag])),
        (
            "Status",
            object([
                "session_id": text, "agent_session_id": text, "agent_state": claudeStatus,
                "claude_state": claudeStatus, "agent_type": words("claude"), "connected_clients": count,
                "repo_path": text, "repo_name": text, "uptime_seconds": count, "version": text,
                "watcher_enabled": flag, "git_enabled": flag,
            ])
        ),
        ("CacheInvalidated", object(["success": flag, "status": words("ok")])),
        (
            "Heartbeat",
            object([
                "event": words("heartbeat"), "timestamp": time, "agent_type": words("claude"),
                "payload": object([
                    "server_time": time, "sequence": count, "claude_status": claudeStatus, "uptime_seconds": count,
                ]),
            ])
        ),
    ]

    private static let claudeStatus = words("running", "waiting", "idle")
    private static let flags = #"{"type":"object","additionalProperties":{"type":"boolean"}}"#

    private static let stream: [(SchemaName, String)] = [
        ("Event", event),
        ("Subscribed", object(["epoch": text, "seq": count, "recovered": flag, "head": count])),
        (
            "Replay",
            object([
                "epoch": text, "seq": count, "recovered": flag, "head": count, "has_more": flag, "count": count,
                "events": list("Event"),
            ])
        ),
        ("Subscriptions", object(["success": flag, "workspace_id?": text, "subscribed": texts])),
        ("SubscriptionList", object(["workspaces": texts, "is_filtering": flag, "count": count])),
    ]

    private static let presence: [(SchemaName, String)] = [
        (
            "Focus",
            object([
                "workspace_id": text, "session_id": text, "other_viewers": texts, "viewer_count": count,
                "success": flag,
            ])
        ),
        ("ClientPresence", object(["visible": flag, "success": flag])),
        ("Activated", object(["success": flag, "workspace_id": text, "session_id": text, "message": text])),
        (
            "Watching",
            object([
                "status": words("watching", "unwatched"), "watching": flag, "workspace_id": text, "session_id": text,
            ])
        ),
        (
            "SessionJoined",
            notice("session_joined", ["joining_client_id": text, "other_viewers": texts, "viewer_count": count])
        ),
        (
            "SessionLeft",
            notice("session_left", ["leaving_client_id": text, "remaining_viewers": texts, "viewer_count": count])
        ),
    ]

    /// What `PresenceNotice` writes as `params`.
    private static func notice(_ event: String, _ payload: KeyValuePairs<String, String>) -> String {
        object([
            "event": words(event), "timestamp": time, "workspace_id": text, "session_id": text,
            "agent_type": words("claude"), "payload": object(payload),
        ])
    }
}
