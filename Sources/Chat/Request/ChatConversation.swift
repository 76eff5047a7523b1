internal import HTTPModel
internal import JSON

/// The messages of a request: from OpenAI's form to Claude's.
struct ChatConversation {
    var systemPrompts: [String] = []
    var history: [JSONValue] = []
    var content: JSONValue = .null

    init(_ json: JSONValue) throws(APIError) {
        guard let messages = json[ChatField.messages.rawValue]?.array, !messages.isEmpty else {
            throw .invalid("missing_messages", "'messages' must be a list of messages.", param: "messages")
        }
        var read = ChatHistory()
        for (index, message) in messages.enumerated() {
            let place = "messages[\(index)]"
            let role = message["role"]?.string ?? ""
            switch role {
            case "system", "developer": systemPrompts.append(try ChatContent.text(message["content"], place))
            case "user": try read.add(user: try ChatContent.blocks(message["content"], place), place)
            case "assistant": try read.add(assistant: message, place)
            case "tool": try read.add(tool: message, place)
            default:
                throw .refused(
                    .messages,
                    "A message's role must be system, developer, user, assistant or tool.",
                    at: place
                )
            }
        }
        try read.finish()
        var turns = read.turns
        guard let last = turns.popLast(), last.role == "user" else {
            throw .invalid(
                "missing_user_message",
                "The last message must be the user's, or the result of a call.",
                param: "messages"
            )
        }
        content = last.content
        history = turns.map { ChatRequest.message($0.role, $0.content) }
    }
}

/// The content of one message.
enum ChatContent {
    /// Only texts. A missing content is empty.
    static func text(_ content: JSONValue?, _ place: String) throws(APIError) -> String {
        guard let content, content != .null else { return "" }
        if let text = content.string { return text }
        var texts: [String] = []
        for part in content.array ?? [] {
            guard let text = part["text"]?.string ?? part["refusal"]?.string else {
                throw .refused(.messages, "Such a message has texts only.", at: place + ".content")
            }
            texts.append(text)
        }
        return texts.joined(separator: "\n\n")
    }

    /// Texts and images.
    static func blocks(_ content: JSONValue?, _ place: String) throws(APIError) -> JSONValue {
        if let text = content?.string {
            guard !text.isEmpty else { throw .refused(.messages, "A message of the user is empty.", at: place) }
            return .string(text)
        }
        guard let parts = content?.array, !parts.isEmpty else {
            throw .refused(.messages, "A message of the user needs a content.", at: place)
        }
        var blocks: [JSONValue] = []
        for (index, part) in parts.enumerated() {
            guard let block = block(part) else {
                throw .refused(
                    .messages,
                    "A part of a message must be a text, or an image by an https or data URL.",
                    at: "\(place).content[\(index)]"
                )
            }
            blocks.append(block)
        }
        return .array(blocks)
    }

    private static func block(_ part: JSONValue) -> JSONValue? {
        switch part["type"]?.string {
        case "text":
            guard let text = part["text"]?.string, !text.isEmpty else { return nil }
            return .object([("type", .string("text")), ("text", .string(text))])
        case "image_url":
            guard let url = part["image_url"]?["url"]?.string, let source = source(url) else { return nil }
            return .object([("type", .string("image")), ("source", source)])
        default: return nil
        }
    }

    private static func source(_ url: String) -> JSONValue? {
        if url.hasPrefix("https://") { return .object([("type", .string("url")), ("url", .string(url))]) }
        let parts = url.split(separator: ",", maxSplits: 1)
        guard url.hasPrefix("data:image/"), parts.count == 2, parts[0].hasSuffix(";base64") else { return nil }
        let type = parts[0].dropFirst("data:".count).dropLast(";base64".count)
        return .object([
            ("type", .string("base64")), ("media_type", .string(String(type))), ("data", .string(String(parts[1]))),
        ])
    }
}
