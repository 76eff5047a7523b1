import JSON

/// The replies to one message of the client, in the order of its requests. It leaves when the last one is known.
struct RPCReplies {
    let isBatch: Bool
    /// `nil` while a task runs.
    private var replies: [[UInt8]?] = []
    private(set) var unfinished = 0
    var actions: [RPCAction] = []
    var tasks: [RPCTask] = []

    init(isBatch: Bool) {
        self.isBatch = isBatch
    }

    mutating func append(_ id: JSONValue, _ result: Result<RPCResult, RPCError>) {
        replies.append(RPCReplies.response(id, result))
    }

    /// Keeps a place for the answer of a task.
    mutating func reserve() -> Int {
        replies.append(nil)
        unfinished += 1
        return replies.count - 1
    }

    mutating func fill(_ place: Int, _ id: JSONValue, _ result: Result<RPCResult, RPCError>) {
        guard replies[place] == nil else { return }
        replies[place] = RPCReplies.response(id, result)
        unfinished -= 1
    }

    /// Those that need not wait until the replies have left.
    mutating func takeActionsBeforeEnd() -> [RPCAction] {
        let end = actions.firstIndex { if case .close = $0 { true } else { false } } ?? actions.endIndex
        defer { actions.removeSubrange(..<end) }
        return Array(actions[..<end])
    }

    /// Framed; empty where nothing is to be answered.
    var frame: [UInt8] {
        let known = replies.compactMap(\.self)
        guard let first = known.first else { return [] }
        guard isBatch else { return WebSocketFrame.text(first) }
        var writer = JSONWriter(reserving: known.reduce(2) { $0 + $1.count + 1 })
        writer.beginArray()
        for reply in known { writer.raw(reply) }
        writer.endArray()
        return WebSocketFrame.text(writer.bytes)
    }

    private static func response(_ id: JSONValue, _ result: Result<RPCResult, RPCError>) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("jsonrpc", "2.0")
        writer.field("id", id)
        switch result {
        case .success(let result): writer.field("result", json: result.json)
        case .failure(let error):
            writer.key("error")
            error.write(to: &writer)
        }
        writer.endObject()
        return writer.bytes
    }
}
