internal import JSON

/// What the events of the model's stream say of calls and tokens, message by message.
struct MessageReader {
    private struct Block {
        var id: String
        var name: String
        var arguments = ""
    }

    /// UTF-8 bytes of a token, by which the tokens of a part are estimated.
    private static let bytesPerToken: Int64 = 4
    private static let counts = [
        "input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens", "output_tokens",
    ]

    private var blocks: [Int64: Block] = [:]
    /// The usage with which the message began.
    private var begun: JSONValue = .null
    private var isWriting = false
    private var writtenBytes: Int64 = 0
    private var sums: [Int64] = [0, 0, 0, 0]

    /// The usage of all messages since `forgetUsage`.
    var usage: JSONValue {
        .object(zip(MessageReader.counts, sums).map { ($0, .integer($1)) })
    }

    /// The usage of a message that the model has begun and not ended, if it began with counts. The client counts a
    /// message only when it is whole, but the API charges for the part that it wrote.
    var unfinishedUsage: JSONValue? {
        guard isWriting, case .object(let members) = begun else { return nil }
        let written = (writtenBytes + MessageReader.bytesPerToken - 1) / MessageReader.bytesPerToken
        let output = max(begun["output_tokens"]?.integer ?? 0, written)
        return .object(members.filter { $0.0 != "output_tokens" } + [("output_tokens", .integer(output))])
    }

    mutating func forgetUsage() {
        sums = [0, 0, 0, 0]
    }

    mutating func read(_ event: JSONValue) {
        let index = event["index"]?.integer ?? 0
        switch event["type"]?.string {
        case "message_start":
            (blocks, begun) = ([:], event["message"]?["usage"] ?? .null)
            (isWriting, writtenBytes) = (true, 0)
        case "content_block_start":
            guard let block = event["content_block"], block["type"]?.string == "tool_use" else { return }
            blocks[index] = Block(id: block["id"]?.string ?? "", name: block["name"]?.string ?? "")
        case "content_block_delta":
            for name in ["text", "thinking", "partial_json"] {
                writtenBytes += Int64(event["delta"]?[name]?.string?.utf8.count ?? 0)
            }
            guard let piece = event["delta"]?["partial_json"]?.string else { return }
            blocks[index]?.arguments += piece
        case "message_delta":
            isWriting = isWriting && event["usage"] == nil
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
