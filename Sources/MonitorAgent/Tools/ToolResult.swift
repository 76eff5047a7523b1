internal import ClaudeRunner
internal import JSON

/// The result of a tool, as it is told to the server.
struct ToolResult {
    /// JSON.
    let bytes: [UInt8]

    private static let members = ["content", "structuredContent", "isError"]

    /// - Parameter reply: the client's answer.
    init(_ reply: JSONValue) {
        let members = ToolResult.members.compactMap { name in
            reply[name].flatMap { $0 == .null ? nil : (name, $0) }
        }
        let bytes = JSONValue.object(members).encoded
        self.bytes = bytes.count > ToolCalls.mostResultBytes ? ToolResult.tooLarge(bytes.count) : bytes
    }

    /// The client tells no result, and says why.
    init(failure reason: String) {
        let isLost = reason == ClaudeConversation.lostLine
        bytes = isLost ? ToolResult.tooLarge(nil) : ToolResult.error(String(reason.prefix(10_000)), code: nil)
    }

    private static func tooLarge(_ count: Int?) -> [UInt8] {
        let size = count.map { "The result has \($0) bytes" } ?? "The result is too long"
        return error("\(size); \(ToolCalls.mostResultBytes) are passed on.", code: "result_too_large")
    }

    private static func error(_ text: String, code: String?) -> [UInt8] {
        let block = JSONValue.object([("type", .string("text")), ("text", .string(text))])
        return JSONValue.object(
            [("content", .array([block])), ("isError", .bool(true))] + (code.map { [("code", .string($0))] } ?? [])
        ).encoded
    }
}
