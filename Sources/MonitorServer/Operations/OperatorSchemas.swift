internal import JSON

/// The schemas of `/health` and `/`.
extension JSONSchema {
    static let operators: [(SchemaName, String)] = [
        (
            "Health",
            object([
                "ok": flag, "status": words("healthy", "degraded"), "version": text, "time": time,
                "claude_version": textOrNull, "uptime_seconds": count, "active_sessions": count,
                "waiting_sessions": count,
                "claude": object(["reachable": flag, "agents": count, "machines": count, "names?": array(text)]),
                "database": object(["status": text, "since?": time, "error?": text, "queued_bytes?": count]),
                "spool": object([
                    "status": words("off", "ready", "full", "failed"), "error?": text, "events?": count,
                    "bytes?": count, "oldest_waiting?": time, "file_bytes?": count, "limit_bytes?": count,
                    "damaged_segments?": count, "rejected_events?": count, "rejected_bytes?": count,
                ]),
                "subscribers": object(["websockets": count, "event_streams": count]), "push": any,
            ])
        ),
        (
            "Signpost",
            object([
                "name": text, "version": text,
                "endpoints": object([
                    "events": text, "sessions": text, "projects": text, "models": text, "chat": text,
                    "websocket": text,
                ]), "docs": text, "health": text,
            ])
        ),
    ]
}
