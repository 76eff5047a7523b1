internal import HTTPModel
internal import JSON

/// How a call of a tool ended, or what it waits for. Pure.
struct CallReply: Sendable {
    enum Outcome: Sendable {
        /// - Parameter data: an object.
        case completed(data: JSONValue)
        /// The tool reports a failure, or it is unknown whether the tool ran.
        case failed(String, data: JSONValue)
        /// The tool did not run, because a person or a rule did not allow it.
        case blocked(String, reason: String)
        /// A person is being asked.
        case asking(message: String, state: String)
    }

    private static let mostError = 4000

    var logID: String
    var outcome: Outcome

    /// Codes of errors that say that a call was not allowed.
    private static let notAllowed: Set<String> = [
        "denied_by_person", "denied_by_machine", "approval_expired", "not_allowed_by_machine", "not_allowed_by_policy",
        "insufficient_scope", "caller_gone",
    ]

    /// - Parameter result: an object with `content`, `structuredContent` and `isError`.
    init(call id: String, result: JSONValue) {
        logID = "log_" + id
        let (text, data) = CallReply.data(of: result)
        let isError = result["isError"]?.bool ?? false
        outcome =
            isError
            ? .failed(text.isEmpty ? "The tool failed." : String(text.prefix(CallReply.mostError)), data: data)
            : .completed(data: data)
    }

    init(call id: String, _ error: APIError) {
        logID = "log_" + id
        outcome =
            CallReply.notAllowed.contains(error.code)
            ? .blocked(error.message, reason: error.code) : .failed(error.message, data: .object([]))
    }

    init(logID: String, _ outcome: Outcome) { (self.logID, self.outcome) = (logID, outcome) }

    /// What clients get as `data`: the structured result; without one, the single text if that is a JSON object;
    /// else the text, with all content if some of it is not text.
    private static func data(of result: JSONValue) -> (text: String, data: JSONValue) {
        let blocks = result["content"]?.array ?? []
        let texts = blocks.compactMap { $0["type"]?.string == "text" ? $0["text"]?.string : nil }
        let text = texts.joined(separator: "\n")
        if let structured = result["structuredContent"], structured.isObject { return (text, structured) }
        if blocks.count == 1, let json = try? JSONValue.parse(Array(text.utf8)), json.isObject { return (text, json) }
        var members = [("text", JSONValue.string(text))]
        if texts.count < blocks.count { members.append(("content", .array(blocks))) }
        return (text, .object(members))
    }

    // MARK: Writing

    private static let question = #"{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}"#

    /// The answer to a call of a session.
    var response: HTTPResponse {
        var writer = JSONWriter(reserving: 1024)
        writer.beginObject()
        writeMembers(to: &writer)
        writer.endObject()
        return .json(writer.bytes)
    }

    func writeMembers(to writer: inout JSONWriter) {
        switch outcome {
        case .completed(let data):
            writer.field("data", data)
            writer.null("error")
            writer.field("result_type", "completed")
        case .failed(let error, let data):
            writer.field("data", data)
            writer.field("error", error)
            writer.field("result_type", "failed")
        case .blocked(let message, let reason):
            writer.field("data", json: "{}")
            writer.field("error", message)
            writer.field("result_type", "blocked")
            writer.field("message", message)
            writer.beginObject("reason")
            writer.field("type", "request_blocked")
            writer.field("hook_id", reason)
            writer.endObject()
        case .asking(let message, let state):
            writer.field("data", json: "{}")
            // Older clients know no other sign that the tool has not run.
            writer.field("error", message)
            writer.field("result_type", "input_required")
            writer.beginObject("input_requests")
            writer.beginObject("approval")
            writer.field("type", "elicitation")
            writer.field("mode", "form")
            writer.field("message", message)
            writer.field("requested_schema", json: CallReply.question)
            writer.endObject()
            writer.endObject()
            writer.field("request_state", state)
        }
        writer.field("log_id", logID)
        writer.field("logId", logID)
    }

    /// The form for calls without a session, and for calls of several tools.
    func writePlain(to writer: inout JSONWriter) {
        switch outcome {
        case .completed(let data):
            writer.field("successful", true)
            writer.field("data", data)
            writer.null("error")
        case .failed(let error, let data):
            writer.field("successful", false)
            writer.field("data", data)
            writer.field("error", error)
        case .blocked(let message, _):
            writer.field("successful", false)
            writer.field("data", json: "{}")
            writer.field("error", message)
        case .asking(let message, let state):
            writer.field("successful", false)
            writer.field("data", json: "{}")
            writer.field("error", message)
            writer.field("result_type", "input_required")
            writer.field("request_state", state)
        }
        writer.field("log_id", logID)
    }

    static let schema = JSONSchema.object([
        "data": JSONSchema.any, "error": JSONSchema.textOrNull, "log_id": JSONSchema.text, "logId": JSONSchema.text,
        "result_type": JSONSchema.words("completed", "failed", "blocked", "input_required"),
        "message?": JSONSchema.text, "reason?": JSONSchema.any, "input_requests?": JSONSchema.any,
        "request_state?": JSONSchema.text,
    ])

    static let plainSchema = JSONSchema.object([
        "successful": JSONSchema.flag, "data": JSONSchema.any, "error": JSONSchema.textOrNull,
        "log_id": JSONSchema.text, "result_type?": JSONSchema.words("input_required"),
        "request_state?": JSONSchema.text,
    ])
}
