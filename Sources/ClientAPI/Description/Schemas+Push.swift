internal import JSON

extension JSONSchema {
    static let push: [(SchemaName, String)] = [
        (
            "PushOffer",
            object([
                "status": words("on", "off"), "apns": object(["available": flag, "topic?": text]),
                "webpush": object(["available": flag, "application_server_key?": text]),
            ])
        ),
        (
            "NewPushToken",
            object([
                "kind?": words("alert", "activity_start", "activity_update", "webpush"), "token?": text,
                "environment?": words("production", "development", "sandbox"), "topic?": text, "session_id?": text,
                "endpoint?": text, "keys?": object(["p256dh": text, "auth": text]), "encryption_key?": text,
                "locale?": text, "time_zone?": text, "app_version?": text, "frequent_updates?": flag,
            ])
        ),
        (
            "PushToken",
            object([
                "id": text, "device_id": text, "kind": words("alert", "activity_start", "activity_update", "webpush"),
                "fingerprint": text, "session_id?": text, "environment?": words("production", "development"),
                "topic?": text, "sealed": flag, "locale?": text, "time_zone?": text, "app_version?": text,
                "state": words("active", "quarantined", "gone"), "state_reason?": text, "registered_at": time,
                "last_ok_at?": time,
            ])
        ),
        ("PushTokenList", object(["tokens": list("PushToken")])),
        ("RemovedPushTokens", object(["removed": count])),
        ("PushPreferences", any),
        (
            "PushPreferencesAnswer",
            object([
                "scope": words("default", "device", "project", "session"), "id?": text,
                "preferences": one("PushPreferences"), "effective": one("PushPreferences"), "updated_at?": time,
            ])
        ),
        (
            "PushKeyCheck",
            object([
                "environment": words("production", "development"), "verdict": words("good", "refused", "unreachable"),
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
                "key": text, "kind": text, "event_id?": text, "seq?": count, "session_id?": text, "raised_at": time,
                "not_before": time, "expires_at": time, "withdrawn_at?": time, "withdrawn_because?": text,
                "deliveries": list("PushDelivery"),
            ])
        ),
        ("PushDecisions", object(["notices": list("PushNotice"), "remark?": text])),
    ]
}
