internal import EventModel
internal import HTTPModel
internal import JSON

/// What goes back to its state before a message: `POST /v1/sessions/{id}/rewind`.
struct SessionRewind: Sendable {
    private static let kinds = ["files", "conversation", "both"]

    /// The id of the message, as Claude Code knows it.
    let messageID: String
    let what: String
    /// Says only what would be done. Unless the request says otherwise: files may be lost.
    let isDryRun: Bool

    init(body: JSONValue) throws(APIError) {
        guard let id = body["message_id"]?.string.flatMap(EventID.init) else {
            throw .invalid("invalid_parameter", "'message_id' must be a UUID.", param: "message_id")
        }
        guard let what = body["what"]?.string, SessionRewind.kinds.contains(what) else {
            throw .invalid("invalid_parameter", "'what' must be files, conversation or both.", param: "what")
        }
        let flag = body["dry_run"] ?? .null
        guard flag == .null || flag.bool != nil else {
            throw .invalid("invalid_parameter", "'dry_run' must be true or false.", param: "dry_run")
        }
        (messageID, self.what, isDryRun) = (id.description, what, flag.bool ?? true)
    }

    static let schema = JSONSchema.object([
        "message_id": #"{"type":"string","format":"uuid"}"#, "what": JSONSchema.words("files", "conversation", "both"),
        "dry_run?": JSONSchema.nullable(JSONSchema.flag),
    ])

    struct Done: Sendable {
        let sessionID: String
        let rewind: SessionRewind
        let result: JSONValue

        init(sessionID: String, _ rewind: SessionRewind, _ result: JSONValue) {
            (self.sessionID, self.rewind, self.result) = (sessionID, rewind, result)
        }
    }

    static let shape = ObjectShape<Done>("SessionRewind") { it in
        it.member("session_id") { $0.sessionID }
        it.member("message_id") { $0.rewind.messageID }
        it.member("what", as: JSONSchema.words("files", "conversation", "both")) { $0.rewind.what }
        it.member("dry_run") { $0.rewind.isDryRun }
        it.member("files") { ($0.result["files"]?.array ?? []).compactMap(\.string) }
        it.member("insertions") { $0.result["insertions"]?.integer }
        it.member("deletions") { $0.result["deletions"]?.integer }
        it.member("text") { $0.result["text"]?.string }
    }
}
