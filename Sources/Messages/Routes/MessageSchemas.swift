internal import API
internal import JSON

/// The schemas of messages.
extension JSONSchema {
    static let messages: [(SchemaName, String)] =
        [
            (
                "NewMessage",
                object([
                    "text": bounded(32_768, least: 1), "message_id?": nullable(#"{"type":"string","format":"uuid"}"#),
                    "as?": nullable(words("command")), "images?": nullable(MessageImage.schema),
                ])
            ),
            ("NewInterruption", object(["cancel_queued?": nullable(flag)])),
            (
                "MessageReceipt",
                object([
                    "state": words("delivered", "applied", "read", "failed", "expired"), "detail?": nullable(text),
                    "reason?": nullable(text),
                ])
            ),
            ("SessionMessagePage", page("messages", "SessionMessage")),
        ] + SessionMessage.shape.definitions + MessageRoutes.interruption.definitions + PosterRoutes.shape.definitions
}
