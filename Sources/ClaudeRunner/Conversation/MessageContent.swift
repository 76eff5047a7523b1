internal import JSON

/// The content of a message, as the client takes it.
enum MessageContent {
    /// The same content as plain text: the client takes a text that begins with `/` for a command, unless a space
    /// comes first. Of several texts, it looks at the last one.
    static func plain(_ content: JSONValue) -> JSONValue {
        switch content {
        case .string(let text): .string(plain(text))
        case .array(let blocks): .array(blocks.map(plain(block:)))
        default: content
        }
    }

    private static func plain(block: JSONValue) -> JSONValue {
        guard block["type"]?.string == "text", case .object(let members) = block, let text = block["text"]?.string
        else { return block }
        return .object(members.filter { $0.0 != "text" } + [("text", .string(plain(text)))])
    }

    private static func plain(_ text: String) -> String {
        text.utf8.first(where: { $0 > UInt8(ascii: " ") }) == UInt8(ascii: "/") ? " " + text : text
    }

    /// Checks a command, which is one text that begins with `/` and a name from the list.
    static func command(_ content: JSONValue, among commands: [ClaudeCommand]) throws(ClaudeError) -> JSONValue {
        var text = content.string
        if let blocks = content.array, blocks.count == 1, blocks[0]["type"]?.string == "text" {
            text = blocks[0]["text"]?.string
        }
        guard let text, text.utf8.first == UInt8(ascii: "/") else { throw .commandNotAllowed("without a name") }
        let name = String(text.dropFirst().prefix { !$0.isWhitespace })
        guard commands.contains(where: { $0.name == name }) else { throw .commandNotAllowed("/" + name) }
        return .string(text)
    }
}
