public import JSON

extension JSONSchema {
    private static let tokenKinds = words("alert", "activity_start", "activity_update", "webpush")

    /// Answers about push tokens and preferences, the same over REST and JSON-RPC.
    public static let pushAnswers: [(SchemaName, String)] = [
        (
            "PushOffer",
            object([
                "status": words("on", "off"), "apns": object(["available": flag, "topic?": text]),
                "webpush": object(["available": flag, "application_server_key?": text]),
            ])
        ),
        (
            "PushToken",
            object([
                "id": text, "device_id": text, "kind": tokenKinds, "fingerprint": text, "session_id?": text,
                "environment?": words("production", "development"), "topic?": text, "sealed": flag, "locale?": text,
                "time_zone?": text, "app_version?": text, "state": words("active", "quarantined", "gone"),
                "state_reason?": text, "registered_at": time, "last_ok_at?": time,
            ])
        ),
        ("PushTokenList", object(["tokens": list("PushToken")])),
        ("RemovedPushTokens", object(["removed": count])),
        ("PushPreferences", preferences),
        (
            "PushPreferencesAnswer",
            object([
                "scope": words("default", "device", "project", "session"), "id?": text,
                "preferences": one("PushPreferences"), "effective": one("PushPreferences"), "updated_at?": time,
            ])
        ),
    ]
}
