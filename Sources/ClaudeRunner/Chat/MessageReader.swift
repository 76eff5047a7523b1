internal import JSON

/// What the events of the model's stream say of calls and tokens, message by message.
struct MessageReader {
    private struct Block {
        var id: String
        var name: String
        var arguments = ""
    }

    private static let counts = [
        "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens",
    ]

    private var blocks: [Int64: Block] = [:]
    private var begun: JSONValue = .null
    private var sums: [Int64] = [0, 0, 0, 0]

    /// The usage of all messages since `forgetUsage`.
    var usage: JSONValue {
        .object(zip(MessageReader.counts, sums).map { ($0, .integer($1)) })
    }

    mutating func forgetUsage() {
        sums = [0, 0, 0, 0]
    }

    mutating func read(_ event: JSONValue) {
        let index = event["index"]?.integer ?? 0
        switch event["type"]?.string {
        case "message_start":
            (blocks, begun) = ([:], event["message"]?["usage"] ?? .null)
        case "content_block_start":
            guard let block = event["content_block"], block["type"]?.string == "tool_use" else { return }
            blocks[index] = Block(id: block["id"]?.string ?? "", name: block["name"]?.string ?? "")
        case "content_block_delta":
            guard let piece = event["delta"]?["partial_json"]?.string else { return }
            blocks[index]?.arguments += piece
        case "message_delta":
            for (place, name) in MessageReader.counts.enumerated() {
                sums[place] += event["usage"]?[name]?.integer ?? begun[name]?.integer ?? 0
            }
        default: return
        }
    }

    /// The calls of the latest message to these functions, in order. The client itself refuses any others.
    func calls(to server: FunctionServer) -> [ChatCall] {
        blocks.sorted { $0.key < $1.key }.compactMap { _, block in
            guard block.name.hasPrefix(FunctionServer.prefix) else { return nil }
            let name = String(block.name.dropFirst(FunctionServer.prefix.count))
            guard server.has(name), ChatFunction.isCallID(block.id) else { return nil }
            return ChatCall(id: block.id, name: name, arguments: block.arguments.isEmpty ? "{}" : block.arguments)
        }
    }
}
