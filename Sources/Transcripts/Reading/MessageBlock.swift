internal import EventIngest
package import JSON

/// A block of a message, as it is stored in a transcript's line.
package enum MessageBlock: Sendable, Equatable {
    case text(String)
    case thinking(String)
    case toolUse(id: String, name: String, input: JSONValue)
    case toolResult(id: String, content: String, isError: Bool)
    /// An image or a document: its kind and its size or description.
    case image(type: String, description: String)

    /// The blocks of a line. Empty if the line is not a message.
    static func blocks(ofLine line: JSONValue) -> [MessageBlock] {
        guard let content = line["message"]?["content"] else { return [] }
        if let text = content.string { return [.text(text)] }
        return (content.array ?? []).compactMap { MessageBlock(block: $0) }
    }

    private init?(block: JSONValue) {
        switch block["type"]?.string {
        case "text": self = .text(block["text"]?.string ?? "")
        case "thinking", "redacted_thinking": self = .thinking(block["thinking"]?.string ?? "")
        case "tool_use", "server_tool_use", "mcp_tool_use":
            self = .toolUse(
                id: block["id"]?.string ?? "",
                name: block["name"]?.string ?? "",
                input: block["input"] ?? .object([])
            )
        case let type? where type.hasSuffix("tool_result"):
            self = .toolResult(
                id: block["tool_use_id"]?.string ?? "",
                content: MessageBlock.text(of: block["content"]),
                isError: block["is_error"]?.bool ?? false
            )
        case "image", "document":
            let source = block["source"]
            self = .image(
                type: source?["media_type"]?.string ?? block["type"]?.string ?? "image",
                description: source?["data"]?.string ?? source?["url"]?.string ?? ""
            )
        default: return nil
        }
    }

    func cut(to limit: Int) -> MessageBlock {
        switch self {
        case .text(let text): .text(MessageBlock.cut(text, limit))
        case .thinking(let text): .thinking(MessageBlock.cut(text, limit))
        case .toolResult(let id, let content, let isError):
            .toolResult(id: id, content: MessageBlock.cut(content, limit), isError: isError)
        case .toolUse, .image: self
        }
    }

    private static func cut(_ text: String, _ limit: Int) -> String {
        // A character is at least one byte.
        guard text.utf8.count > limit, let end = text.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex),
            end < text.endIndex
        else { return text }
        return text[..<end] + "…"
    }

    /// One line that shows what a tool was asked to do, or what it answered.
    package var summary: String {
        switch self {
        case .toolUse(_, let name, let input): ToolSummary.line(tool: name, input: input)
        default: String(plainText.prefix { !$0.isNewline }.prefix(200))
        }
    }

    /// The text of a tool's result, which is a string or a list of blocks.
    private static func text(of content: JSONValue?) -> String {
        if let text = content?.string { return text }
        let parts = (content?.array ?? []).map { $0["text"]?.string ?? "[\($0["type"]?.string ?? "block")]" }
        return parts.joined(separator: "\n")
    }

    /// The text that a person or the model wrote.
    package var writtenText: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }

    package var plainText: String {
        switch self {
        case .text(let text), .thinking(let text): return text
        case .toolUse(_, let name, let input):
            return name + " " + MessageBlock.strings(in: input).joined(separator: " ")
        case .toolResult(_, let content, _): return content
        case .image: return ""
        }
    }

    private static func strings(in value: JSONValue) -> [String] {
        switch value {
        case .string(let text): [text]
        case .array(let items): items.flatMap(strings)
        case .object(let members): members.flatMap { strings(in: $0.1) }
        default: []
        }
    }
}
