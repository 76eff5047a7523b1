internal import EventModel
internal import JSON

/// A call with its result, if it has one that the reader may see.
struct ShownToolCall {
    var call: ToolCall
    var result: JSONValue?
}

extension ShownToolCall {
    private typealias Fault = (code: String, message: String)

    private static let fault = ObjectShape<Fault> { it in
        it.member("code") { $0.code }
        it.member("message") { $0.message }
    }

    static let shape = ObjectShape<ShownToolCall>("ToolCall") { it in
        it.member("call_id") { $0.call.id }
        it.word("status") { $0.call.state }
        it.member("tool") { $0.call.name }
        it.member("server_id") { $0.call.serverID }
        it.memberOrNull("machine_id") { $0.call.machine.shown($0.call.machineName) }
        it.member("session_id") { $0.call.sessionID }
        it.member("caller") { $0.call.caller }
        it.member("caller_name") { $0.call.callerName }
        it.member("arguments_sha256") { $0.call.argumentsDigest }
        it.member("created_at") { $0.call.createdAt }
        it.member("expires_at") { $0.call.expiresAt }
        it.member("started_at") { $0.call.startedAt }
        it.member("ended_at") { $0.call.endedAt }
        it.member("duration_ms") { $0.call.milliseconds }
        it.member("prompt_id") { $0.call.promptID }
        it.member("approved_by") { $0.call.approvedBy }
        it.member("is_error") { $0.call.isError }
        it.member("result_bytes") { $0.call.resultBytes }
        it.object("error", fault) { shown in
            shown.call.code.map { (code: $0, message: shown.call.message ?? "") }
        }
        it.member("content", as: JSONSchema.array(JSONSchema.any)) { $0.result?["content"] }
        it.member("structured_content", as: "{}") { $0.result?["structuredContent"] }
    }
}

/// What a tool answered.
struct ToolAnswer {
    var call: ToolCall
    var result: JSONValue
}

extension ToolAnswer {
    static let shape = ObjectShape<ToolAnswer>("ToolAnswer") { it in
        it.member("tool") { $0.call.name }
        it.member("call_id") { $0.call.id }
        it.member("is_error") { $0.result["isError"]?.bool ?? false }
        it.member("content", as: JSONSchema.array(JSONSchema.any)) { $0.result["content"] ?? .array([]) }
        it.member("structured_content", as: "{}") { $0.result["structuredContent"] }
        it.member("code") { $0.result["code"]?.string }
        it.member("prompt_id") { $0.call.promptID }
        it.member("approved_by") { $0.call.approvedBy }
        it.member("duration_ms") { $0.call.milliseconds }
    }
}
