import JSON

/// The payloads of `claude_message` and `claude_log` as cdev's guide prints them: with the session's id, and with the
/// input of a tool's call as JSON in a text. cdev's app reads neither, so they have this form only where the samples
/// must work as printed.
enum GuidePayloads {
    /// Deeper messages are passed on as they are.
    private static let maxDepth = 220
    private static let openings = ["claude_message", "claude_log"].map { name in
        Array(#"{"jsonrpc":"2.0","method":"event/\#(name)","#.utf8)
    }

    /// - Parameter message: one JSON-RPC message. Others than these notifications are returned as they are.
    static func of(_ message: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard openings.contains(where: message.starts(with:)),
            let json = try? JSONValue.parse(Array(message), maxDepth: maxDepth),
            let session = json["params"]?["session_id"], let payload = json["params"]?["payload"]
        else { return message }
        var printed = payload.printed
        if case .object(let members) = printed { printed = .object([("session_id", session)] + members) }
        var writer = JSONWriter(reserving: message.count + 256)
        writer.value(json.with("params", json["params"]?.with("payload", printed) ?? .null))
        return writer.bytes[...]
    }
}

extension JSONValue {
    fileprivate func with(_ name: String, _ value: JSONValue) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.map { $0.0 == name ? (name, value) : $0 })
    }

    /// A payload with the inputs of its calls as texts.
    fileprivate var printed: JSONValue {
        let printed = self["content"].map { with("content", $0.printedBlocks) } ?? self
        guard let message = printed["message"], let content = message["content"] else { return printed }
        return printed.with("message", message.with("content", content.printedBlocks))
    }

    private var printedBlocks: JSONValue {
        guard case .array(let blocks) = self else { return self }
        return .array(
            blocks.map { block in
                guard block["type"] == .string("tool_use"), let input = block["input"] else { return block }
                return block.with("input", .string(String(decoding: input.encoded, as: UTF8.self)))
            }
        )
    }
}
