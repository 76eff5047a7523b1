internal import API
internal import EventModel
internal import JSON

/// The schemas of pushes and budgets.
extension JSONSchema {
    private static let appToken = object([
        "token": #"{"type":"string","maxLength":1024,"pattern":"^([0-9A-Fa-f]{2})+$"}"#,
        "environment": words("production", "development", "sandbox"), "topic?": nullable(ascii(255)),
    ])
    private static let endpoint = #"{"type":"string","maxLength":2048,"pattern":"^https://[!-~]*$"}"#
    private static let subscriptionKeys = object(["p256dh": bounded(256, least: 1), "auth": bounded(128, least: 1)])

    /// ASCII without spaces.
    private static func ascii(_ most: Int, least: Int = 0) -> String {
        #"{"type":"string","minLength":\#(least),"maxLength":\#(most),"pattern":"^[!-~]*$"}"#
    }

    static let push: [(SchemaName, String)] = [
        (
            "NewPushToken",
            all(
                of: object([
                    "encryption_key?": nullable(#"{"type":"string","pattern":"^[A-Za-z0-9+/_-]{43}=*$"}"#),
                    "locale?": nullable(ascii(128)), "time_zone?": nullable(ascii(128)),
                    "app_version?": nullable(ascii(128)), "frequent_updates?": nullable(flag),
                ]),
                either([
                    all(of: appToken, object(["kind?": nullable(words("alert", "activity_start"))])),
                    all(of: appToken, object(["kind": words("activity_update"), "session_id": ascii(256, least: 1)])),
                    object(["kind": words("webpush"), "endpoint": endpoint, "keys": subscriptionKeys]),
                ])
            )
        ),
        (
            "PushKeyCheck",
            object([
                "environment": words("production", "development"),
                "verdict": words("good", "refused", "undecided", "unreachable"),
                "status?": count, "reason?": text, "message": text,
            ])
        ),
        ("PushTest", object(["device_id": text, "apns_ids": texts])),
        (
            "PushDelivery",
            object([
                "device_id": text, "token_kind": text, "token?": text, "apns_id": text,
                "state": words("waiting", "claimed", "sent", "suppressed", "withdrawn", "failed", "expired"),
                "due_at?": time, "attempts": count, "submissions": count, "level?": text, "collapse_id?": text,
                "code?": text, "reason?": text, "status?": count, "decided_at?": time,
            ])
        ),
        (
            "PushNotice",
            object([
                "key": text, "kind": text, "reminder?": flag, "event_id?": text, "seq?": count, "session_id?": text,
                "raised_at": time, "not_before": time, "expires_at": time, "withdrawn_at?": time,
                "withdrawn_because?": text, "withdrawn_reason?": text,
                "deliveries": list("PushDelivery"),
            ])
        ),
        ("PushDecisions", object(["notices": list("PushNotice"), "remark?": text])),
        ("BudgetPage", page("data", "Budget")),
    ]
}
