internal import JSON

/// Schemas of request bodies, except for events and pushes.
extension JSONSchema {
    /// Must not consist of spaces only.
    private static let title = #"{"type":"string","maxLength":200,"pattern":"\\S"}"#
    /// A text that a device reports about itself.
    private static let deviceText = nullable(printable(100))

    static let bodies: [(SchemaName, String)] = [
        ("TranscriptPiece", text),
        (
            "Heartbeat",
            object([
                "sessions": array(
                    object(["session_id?": bounded(200), "status?": text, "status_updated_at_ms?": count])
                )
            ])
        ),
        (
            "Erasure",
            object(["session_id?": bounded(200), "machine_id?": bounded(200), "project_id?": bounded(200)])
        ),
        ("TranscriptTaken", object(["next_offset": count])),
        (
            "NewProject",
            object([
                "name": title, "description?": nullable(bounded(4000)), "path?": nullable(bounded(4000)),
                "machine_id?": nullable(bounded(200)), "settings?": nullable(any),
            ])
        ),
        (
            "ProjectChange",
            object([
                "name?": title, "description?": nullable(bounded(4000)), "settings?": nullable(any),
                // The directory of a project determines its id.
                "path?": "false", "machine_id?": "false",
            ])
        ),
        (
            "NewKey",
            object([
                "name": #"{"type":"string","minLength":1,"maxLength":200,"#
                    + #""pattern":"^(?![+-]?[0-9]+$)[^\\u0000-\\u001f\\u007f-\\u009f]*$"}"#
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
            "BrowserSignIn",
            object(["secret": printable(64), "name?": deviceText, "base?": nullable(printable(200))])
        ),
        ("BrowserBase", object(["base?": nullable(printable(200))])),
        ("PairingRequestID", object(["request_id": printable(20)])),
        (
            "NewAnswer",
            object([
                "answer_id?": nullable(#"{"type":"string","format":"uuid"}"#),
                "decision?": nullable(words("allow", "deny")),
                "scope?": nullable(words("once", "session", "always")), "message?": nullable(bounded(16_000)),
                "interrupt?": nullable(flag), "updated_input?": nullable(any),
                "answers?": nullable(any), "notes?": nullable(any), "mode?": nullable(words("default", "acceptEdits")),
                "plan?": nullable(bounded(100_000)), "action?": nullable(words("accept", "decline", "cancel")),
                "content?": nullable(any), "permissions?": nullable(#"{"type":"array","maxItems":20}"#),
            ])
        ),
        (
            "NewMessage",
            object([
                "text": bounded(32_768, least: 1), "message_id?": nullable(#"{"type":"string","format":"uuid"}"#),
            ])
        ),
        ("PushAction", object(["capability": printable(100)])),
        (
            "MessageReceipt",
            object([
                "state": words("delivered", "applied", "read", "failed", "expired"), "detail?": nullable(text),
                "reason?": nullable(text),
            ])
        ),
        ("RefreshToken", object(["refresh_token": printable(200)])),
        (
            "AppleSignIn",
            object([
                "identity_token": printable(8192), "nonce": printable(64), "code?": nullable(printable(64)),
                "pairing_token?": nullable(printable(64)), "name?": deviceText, "platform?": deviceText,
            ])
        ),
    ]
}
