internal import API
internal import JSON
internal import Sessions

/// The schemas of prompts and answers.
extension JSONSchema {
    static let prompts: [(SchemaName, String)] =
        [
            (
                "NewAnswer",
                object([
                    "answer_id?": nullable(#"{"type":"string","format":"uuid"}"#),
                    "decision?": nullable(words("allow", "deny")),
                    "scope?": nullable(words("once", "session", "always")), "message?": nullable(bounded(16_000)),
                    "interrupt?": nullable(flag), "updated_input?": nullable(any),
                    "answers?": nullable(any), "notes?": nullable(any),
                    "mode?": nullable(words("default", "acceptEdits")),
                    "plan?": nullable(bounded(100_000)), "action?": nullable(words("accept", "decline", "cancel")),
                    "content?": nullable(any), "permissions?": nullable(#"{"type":"array","maxItems":20}"#),
                ])
            ),
            ("PushAction", object(["capability": printable(100)])),
            ("PromptPage", page("prompts", "Prompt")),
        ]
        + [
            PromptRecord.shape.definitions, AnswerRoutes.shape.definitions, AnswerRoutes.taken.definitions,
            TrailRoutes.shape.definitions,
        ].flatMap { $0 }
}
