internal import Audit
internal import EventModel
internal import Interaction
internal import JSON
internal import Notifications
internal import Sessions
internal import Transcripts
internal import Usage

typealias Schemas = JSONSchema

extension SchemaName {
    static let failure: SchemaName = "Failure"
}

/// The schemas of all answers and bodies, each defined once.
extension JSONSchema {
    static let all: [(SchemaName, String)] =
        server + log + lists + bodies + models + push + pushAnswers + once(shapes.flatMap { $0 })

    /// The schemas derived from object shapes.
    private static let shapes: [[(SchemaName, String)]] = [
        Session.shape.definitions, PromptRecord.shape.definitions, SessionStatistics.shape.definitions,
        AnswerRoutes.shape.definitions, AnswerRoutes.taken.definitions, TrailRoutes.shape.definitions,
        SessionMessage.shape.definitions, PosterRoutes.shape.definitions,
        ConversationMessage.hookShape.definitions, ConversationMessage.shape.definitions,
        UsageRoutes.shape.definitions, RequestUsageRoutes.shape.definitions, RequestRecord.shape.definitions,
        UsageWindows.shape.definitions,
        Budget.shape.definitions, SearchRoutes.result.definitions, ErasureRoutes.shape.definitions,
        Project.shape.definitions, ProjectRoutes.deleted.definitions, SessionRoutes.deleted.definitions,
        ListedMachine.shape.definitions, KeyRecord.created.definitions, KeyRecord.revoked.definitions,
        DeviceRecord.shape.definitions, DeviceRoutes.revoked.definitions, PairingRecord.shape.definitions,
        PairingInvitation.shape.definitions, PairingInvitation.code.definitions, PairingToken.shape.definitions,
        PairingToken.nonce.definitions, NewPairing.renewed.definitions, PairingOutcome.pending.definitions,
        IssuedTokens.shape.definitions, IssuedTokens.ofBrowser.definitions, ApprovalRoutes.pending.definitions,
        ApprovalRoutes.decision.definitions,
        Principal.shape.definitions, TicketRoutes.shape.definitions, AppleIdentityRecord.shape.definitions,
        AppleRoutes.removed.definitions, AuditRecord.shape.definitions, LogPage.shape.definitions,
        Pagination.shape.definitions, PageLinks.shape.definitions,
    ]

    private static let countOrNull = nullable(count)

    private static let server: [(SchemaName, String)] = [
        (
            .failure,
            object([
                "error": object([
                    "type": text, "code": text, "message": text, "param": textOrNull, "status": count,
                    "request_id": text, "retry_after?": count,
                ])
            ])
        ),
        (
            "Health",
            object([
                "ok": flag, "status": words("healthy", "degraded"), "version": text, "time": time,
                "claude_version": textOrNull, "uptime_seconds": count, "active_sessions": count,
                "waiting_sessions": count,
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
                "endpoints": object(["events": text, "sessions": text, "websocket": text]), "health": text,
            ])
        ),
        ("OpenAPI", object(["openapi": text, "info": any, "paths": any, "components": any])),
        ("OpenRPC", object(["openrpc": text, "info": any, "methods": array(any), "components": any])),
        (
            "PageMeta",
            object([
                "request_id": text, "timestamp": time, "page": countOrNull, "per_page": count, "total": countOrNull,
                "total_pages": countOrNull,
            ])
        ),
        (
            "Page",
            object([
                "object": words("list"), "data": array(any), "next_cursor": textOrNull, "has_more": flag,
                "pagination": one("Pagination"), "meta": one("PageMeta"), "links": one("PageLinks"),
            ])
        ),
    ]

    private static let hook = object(["hook_event_name": bounded(200, least: 1)])
    private static let hookSession = object(["session_id?": nullable(bounded(200))])
    /// Omits members of arbitrary type, such as `machine_id`. A value of such a member that is not a name counts as
    /// absent.
    private static let envelope = object([
        "event_id?": nullable(bounded(200, least: 1)), "event_type?": nullable(bounded(100)),
        "timestamp?": nullable(sentTime),
        "machine_id?": "{}", "project_dir?": "{}", "data": hookSession,
    ])

    private static let log: [(SchemaName, String)] = [
        ("Event", event),
        (
            "Envelope",
            all(of: envelope, either([object(["event_type": bounded(100, least: 1)]), object(["data": hook])]))
        ),
        (
            "Envelopes",
            either([
                one("Envelope"),
                #"{"type":"array","minItems":1,"maxItems":500,"items":\#(one("Envelope"))}"#,
            ])
        ),
        ("Hook", all(of: hook, hookSession)),
        ("HookAnswer", any),
        (
            "SourceAppHook",
            all(
                of: object([
                    "hook_event_type?": nullable(bounded(100)), "payload": hookSession,
                    "session_id?": nullable(bounded(200)),
                    "timestamp?": nullable(#"{"type":"integer","minimum":0,"maximum":253402300799999}"#),
                ]),
                either([object(["hook_event_type": bounded(100, least: 1)]), object(["payload": hook])])
            )
        ),
        (
            "TypedHook",
            all(
                of: object(["hook_type?": nullable(bounded(100)), "data": hookSession]),
                either([object(["hook_type": bounded(100, least: 1)]), object(["data": hook])])
            )
        ),
        (
            "TelemetryExport",
            object(["resourceLogs?": array(any), "resourceMetrics?": array(any), "resourceSpans?": array(any)])
        ),
        ("TelemetryAnswer", object(["partialSuccess?": any])),
        ("TelemetryStatus", object(["code": count, "message": text])),
        ("HookTaken", object(["ok": flag, "event_id": text, "seq?": count])),
        (
            "IngestAnswer",
            object([
                "accepted": count, "duplicates": count, "rejected": count, "durability?": words("spooled"),
                "events": array(
                    object([
                        "event_id?": text, "seq?": count,
                        "status": words("accepted", "duplicate", "spooled", "rejected"),
                        "error?": object([
                            "type": text, "code": text, "message": text, "param": textOrNull, "status": count,
                        ]),
                    ])
                ),
            ])
        ),
    ]

    private static let lists: [(SchemaName, String)] = [
        ("EventPage", all(of: page("events", "Event"), one("LogPage"))),
        ("SessionPage", page("sessions", "Session")),
        ("PromptPage", page("prompts", "Prompt")),
        (
            "MessagePage",
            all(of: page("data", "AnyMessage"), object(["session_id": text, "messages?": list("AnyMessage")]))
        ),
        ("AnyMessage", either([one("ConversationMessage"), one("MessageBlocks"), one("Message")])),
        ("ProjectPage", page("projects", "Project")),
        ("MachinePage", page("machines", "Machine")),
        ("BudgetPage", page("data", "Budget")),
        ("KeyPage", page("keys", "Key")),
        ("DevicePage", page("devices", "Device")),
        ("RequestPage", page("requests", "ModelRequest")),
        ("SearchPage", page("results", "SearchResult")),
        ("IdentityPage", page("identities", "Identity")),
        ("SessionMessagePage", page("messages", "SessionMessage")),
        ("AuditPage", page("data", "AuditRecord")),
        ("SignedOut", object(["success": flag])),
    ]

    /// - Parameter member: the name of the elements besides `data`, or `data` itself.
    static func page(_ member: String, _ name: SchemaName) -> String {
        let elements =
            member == "data" ? object(["data": list(name)]) : object(["\(member)": list(name), "data": list(name)])
        return all(of: one("Page"), elements)
    }
}
