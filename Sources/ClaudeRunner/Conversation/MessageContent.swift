internal import JSON

/// The content of a message, as the client takes it.
enum MessageContent {
    /// The same content as plain text: the client takes a text that begins with `/` for a command, unless a space
    /// comes first.
    static func plain(_ content: JSONValue) -> JSONValue {
        switch content {
        case .string(let text): return .string(plain(text))
        case .array(var blocks):
            guard let first = blocks.firstIndex(where: { $0["type"]?.string == "text" }),
                case .object(let members) = blocks[first], let text = blocks[first]["text"]?.string
            else { return content }
            blocks[first] = .object(members.filter { $0.0 != "text" } + [("text", .string(plain(text)))])
            return .array(blocks)
        default: return content
        }
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
