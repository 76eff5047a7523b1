package import API
internal import EventModel
internal import HTTPModel
package import JSON

/// A request to start Claude Code on a machine: `POST /v1/sessions`.
package struct SessionStart: Sendable {
    /// The client's own UUID for the session, which makes a retry harmless.
    package var sessionID: String?
    /// A machine, by its number or its name.
    package var machine: String?
    package var projectID: String?
    package var path: String?
    package var message: String?
    package var messageID: String?
    /// Pictures in the first message.
    package var images: [MessageImage] = []
    package var model: String?
    package var effort: String?
    package var title: String?
    package var systemPrompt: String?
    /// The system prompt follows Claude Code's own, and does not replace it.
    package var appendsPrompt = false
    package var mode: String?
    /// The session to go on with.
    package var resume: String?
    package var isFork = false
    package var worktree: String?
    package var isRestricted = false
    /// What was said before the session began, as objects with `role` and `content`.
    package var history: [JSONValue] = []

    /// Claude Code gets a terminal, as `permission_mode` says.
    var isInteractive: Bool { mode == "interactive" }

    package init() {}
}

extension SessionStart {
    private static let mostText = 32_768

    init(body: JSONValue) throws(APIError) {
        self.init()
        sessionID = try body.uuid("session_id")
        messageID = try body.uuid("message_id")
        resume = try body.uuid("resume")
        machine = try body.text("machine_id", atMost: 256)
        projectID = try body.text("project_id", atMost: 256)
        path = try body.text("path", atMost: 4096)
        message = try body.text("message", atMost: SessionStart.mostText)
        images = try MessageImage.list(of: body)
        model = try body.text("model", atMost: 128)
        effort = try body.text("effort", atMost: 32)
        title = try body.text("title", atMost: 200)
        systemPrompt = try body.text("system_prompt", atMost: SessionStart.mostText)
        mode = try body.text("permission_mode", atMost: 32)
        worktree = try body.text("worktree", atMost: 64)
        isFork = try body.boolean("fork") ?? false
        isRestricted = try body.boolean("restricted") ?? false
        guard machine != nil || projectID != nil else {
            throw .invalid("missing_parameter", "Name the machine or the project.", param: "machine_id")
        }
        guard !isInteractive || systemPrompt == nil else {
            throw .invalid(
                "invalid_parameter",
                "A session in a terminal takes no 'system_prompt'.",
                param: "system_prompt"
            )
        }
        guard images.isEmpty || message != nil && !isInteractive else {
            throw .invalid(
                "invalid_parameter",
                "Pictures are part of a first message, and a session in a terminal takes none.",
                param: "images"
            )
        }
        guard !isFork || resume != nil else {
            throw .invalid("invalid_parameter", "'fork' needs 'resume', the session to copy.", param: "fork")
        }
    }

    static let schema = JSONSchema.object([
        "machine_id?": JSONSchema.nullable(JSONSchema.bounded(256, least: 1)),
        "project_id?": JSONSchema.nullable(JSONSchema.bounded(256, least: 1)),
        "path?": JSONSchema.nullable(JSONSchema.bounded(4096, least: 1)),
        "session_id?": JSONSchema.nullable(uuid), "resume?": JSONSchema.nullable(uuid),
        "fork?": JSONSchema.nullable(JSONSchema.flag),
        "message?": JSONSchema.nullable(JSONSchema.bounded(mostText, least: 1)),
        "message_id?": JSONSchema.nullable(uuid), "images?": JSONSchema.nullable(MessageImage.schema),
        "model?": JSONSchema.nullable(JSONSchema.bounded(128, least: 1)),
        "effort?": JSONSchema.nullable(JSONSchema.bounded(32, least: 1)),
        "title?": JSONSchema.nullable(JSONSchema.bounded(200, least: 1)),
        "system_prompt?": JSONSchema.nullable(JSONSchema.bounded(mostText, least: 1)),
        "permission_mode?": JSONSchema.nullable(JSONSchema.bounded(32, least: 1)),
        "worktree?": JSONSchema.nullable(JSONSchema.bounded(64, least: 1)),
        "restricted?": JSONSchema.nullable(JSONSchema.flag),
    ])

    private static let uuid = #"{"type":"string","format":"uuid"}"#
}

extension JSONValue {
    /// Returns `nil` if the member is missing or null.
    fileprivate func text(_ name: String, atMost limit: Int) throws(APIError) -> String? {
        guard let value = self[name], value != .null else { return nil }
        guard let text = value.string, !text.isEmpty, text.unicodeScalars.count <= limit,
            !text.unicodeScalars.contains("\0")
        else {
            throw .invalid("invalid_parameter", "'\(name)' must be 1 to \(limit) characters.", param: name)
        }
        return text
    }

    fileprivate func uuid(_ name: String) throws(APIError) -> String? {
        guard let value = self[name], value != .null else { return nil }
        guard let id = value.string.flatMap(EventID.init) else {
            throw .invalid("invalid_parameter", "'\(name)' must be a UUID.", param: name)
        }
        return id.description
    }

    fileprivate func boolean(_ name: String) throws(APIError) -> Bool? {
        guard let value = self[name], value != .null else { return nil }
        guard let flag = value.bool else {
            throw .invalid("invalid_parameter", "'\(name)' must be true or false.", param: name)
        }
        return flag
    }
}
