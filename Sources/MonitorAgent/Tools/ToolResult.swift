internal import ClaudeRunner
internal import JSON

/// The result of a tool, as it is told to the server.
struct ToolResult {
    /// JSON.
    let bytes: [UInt8]

    private static let members = ["content", "structuredContent", "isError"]
    /// How Claude Code begins the error that says that a result is larger than it passes on.
    private static let tooLargeWords = "The tool ran, but its result is over the "

    /// `nil` if it is no result: what the tool did is then not known.
    ///
    /// - Parameter reply: the client's answer.
    init?(_ reply: JSONValue) {
        let content = reply["content"] ?? .null
        let isProven = content != .null || (reply["structuredContent"] ?? .null) != .null
        guard isProven, reply["staging"]?["ok"]?.bool != false else { return nil }
        let members = ToolResult.members.compactMap { name in
            reply[name].flatMap { $0 == .null ? nil : (name, ToolResult.inBlocks($0, name)) }
        }
        let bytes = JSONValue.object(members).encoded
        self.bytes = bytes.count > ToolCalls.mostResultBytes ? ToolResult.tooLarge(bytes.count) : bytes
    }

    /// The client tells no result, and says why.
    init(failure reason: String) {
        let isTooLarge = reason == ClaudeConversation.lostLine || reason.hasPrefix(ToolResult.tooLargeWords)
        bytes = isTooLarge ? ToolResult.tooLarge(nil) : ToolResult.error(String(reason.prefix(10_000)), code: nil)
    }

    /// A hook of the person may have made the content one text.
    private static func inBlocks(_ value: JSONValue, _ name: String) -> JSONValue {
        guard name == "content", let text = value.string else { return value }
        return .array([block(text)])
    }

    private static func block(_ text: String) -> JSONValue {
        .object([("type", .string("text")), ("text", .string(text))])
    }

    private static func tooLarge(_ count: Int?) -> [UInt8] {
        let size = count.map { "The result has \($0) bytes" } ?? "The result is too long"
        return error("\(size); \(ToolCalls.mostResultBytes) are passed on.", code: "result_too_large")
    }

    private static func error(_ text: String, code: String?) -> [UInt8] {
        JSONValue.object(
            [("content", .array([block(text)])), ("isError", .bool(true))]
                + (code.map { [("code", .string($0))] } ?? [])
        ).encoded
    }
}
