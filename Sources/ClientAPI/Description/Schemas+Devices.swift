internal import JSON

extension JSONSchema {
    static let capability = words("post", "read", "respond", "control", "administer")
    /// By the capability that is per machine: its machines, null for all.
    static let machines = ##"{"type":"object","additionalProperties":\##(nullable(array(text)))}"##

    static let devices: [(SchemaName, String)] = [
        (
            "Device",
            object([
                "id": text, "name": text, "owner?": text, "platform?": text,
                "state": words("active", "signed_out", "revoked"), "created_at": time, "last_seen_at": time,
                "revoked_at?": time, "capabilities": array(capability), "machines": machines,
            ])
        ),
        ("DevicePage", page("devices", "Device")),
        ("RevokedDevice", object(["id": text, "revoked": flag])),
        (
            "Pairing",
            object([
                "id": text, "code": text, "pairing_token": text, "cdev_token": text, "expires_at": time,
                "expires_in": count, "url": text,
            ])
        ),
        (
            "PairingState",
            object([
                "id": text, "expires_at": time, "used": flag,
                "device": #"{"anyOf":[\#(one("Device")),{"type":"null"}]}"#,
            ])
        ),
        (
            "PairingInfo",
            object([
                "ws": text, "http": text, "session": text, "repo": text, "auth_required": flag, "token?": text,
                "token_expires_at?": time,
            ])
        ),
        (
            "PairingWish",
            object([
                "capabilities?": nullable(array(words("read", "respond", "administer"))),
                "machines?": nullable(array(printable(200))),
            ])
        ),
        ("GrantWish", object(["machines?": nullable(array(printable(200)))])),
        ("PairingForm", object(["token": text])),
        ("PairingCode", object(["code": printable(64)])),
        ("PairingToken", object(["pairing_token": text, "expires_at": time, "expires_in": count])),
        (
            "PairingSecret",
            either([
                object(["pairing_token": printable(64), "name?": deviceText, "platform?": deviceText]),
                object([
                    "code": printable(64), "pairing_token?": #"{"type":"null"}"#, "name?": deviceText,
                    "platform?": deviceText,
                ]),
            ])
        ),
        (
            "Tokens",
            object([
                "access_token": text, "access_token_expires_at": time, "refresh_token": text,
                "refresh_token_expires_at": time, "token_type": words("Bearer"), "expires_in": count,
                "device_id": text,
            ])
        ),
        ("RefreshToken", object(["refresh_token": printable(200)])),
        ("SignedOut", object(["success": flag])),
        (
            "AuditRecord",
            object([
                "id": text, "at": time, "actor": text, "action": text, "object?": text, "result": text, "peer": text,
                "request_id": text, "attempts": count,
            ])
        ),
        ("AuditPage", page("data", "AuditRecord")),
    ]
}
