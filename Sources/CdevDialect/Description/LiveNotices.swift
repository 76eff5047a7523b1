import EventModel
import JSON
import RPC

/// What subscribers that ask for it get between the events of the log, as documents describe it.
enum LiveNotices {
    static let all = [
        OpenRPCDocument.Notification(
            "event/\(EventType.messagePartial.rawValue)",
            "Text that a session is writing, to subscribers that name the session. Not in the log.",
            "MessagePartial"
        ),
        OpenRPCDocument.Notification(
            "event/\(EventType.ptyOutput.rawValue)",
            "What a session's terminal shows, to subscribers that name the session. Not in the log.",
            "TerminalOutput"
        ),
        OpenRPCDocument.Notification(
            "event/\(EventType.sessionRow.rawValue)",
            "A session's row in lists, or that the list must be read again. Not in the log.",
            "SessionRowNotice"
        ),
    ]

    static let schemas: [(SchemaName, String)] = [
        (
            "MessagePartial",
            JSONSchema.object([
                "event": JSONSchema.words(EventType.messagePartial.rawValue), "session_id": JSONSchema.text,
                "message_id": JSONSchema.text, "index": JSONSchema.count, "text": JSONSchema.text,
                "replaces?": JSONSchema.flag, "done?": JSONSchema.flag,
            ])
        ),
        (
            "TerminalOutput",
            JSONSchema.object([
                "event": JSONSchema.words(EventType.ptyOutput.rawValue), "session_id": JSONSchema.text,
                "data": JSONSchema.text, "restarts?": JSONSchema.flag,
            ])
        ),
        ("SessionRowNotice", JSONSchema.any),
    ]
}
