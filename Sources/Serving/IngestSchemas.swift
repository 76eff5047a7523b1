internal import JSON

/// The schemas of events that machines post, and of the answers.
extension JSONSchema {
    private static let hook = object(["hook_event_name": bounded(200, least: 1)])
    private static let hookSession = object(["session_id?": nullable(bounded(200))])
    /// Omits members of arbitrary type, such as `machine_id`. A value of such a member that is not a name counts as
    /// absent.
    private static let envelope = object([
        "event_id?": nullable(bounded(200, least: 1)), "event_type?": nullable(bounded(100)),
        "timestamp?": nullable(sentTime),
        "machine_id?": "{}", "project_dir?": "{}", "data": hookSession,
    ])

    static let ingest: [(SchemaName, String)] = [
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
}
