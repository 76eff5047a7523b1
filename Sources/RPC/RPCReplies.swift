import JSON

/// The replies to one message of the other end, in the order of its requests. They are sent when all are known.
struct RPCReplies {
    let isBatch: Bool
    /// An element is `nil` while its request has no answer.
    private var replies: [[UInt8]?] = []
    private(set) var unfinished = 0

    init(isBatch: Bool) {
        self.isBatch = isBatch
    }

    mutating func append(_ id: JSONValue, _ result: Result<RPCResult, RPCError>) {
        replies.append(RPCReplies.response(id, result))
    }

    /// Reserves a place for a later answer.
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

    /// The JSON of the response, or `nil` if the client expects none.
    var text: [UInt8]? {
        let known = replies.compactMap(\.self)
        guard isBatch, !known.isEmpty else { return known.first }
        var writer = JSONWriter(reserving: known.reduce(2) { $0 + $1.count + 1 })
        writer.beginArray()
        for reply in known { writer.raw(reply) }
        writer.endArray()
        return writer.bytes
    }

    static func response(_ id: JSONValue, _ result: Result<RPCResult, RPCError>) -> [UInt8] {
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
