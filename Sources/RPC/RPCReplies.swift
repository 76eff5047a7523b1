package import JSON

/// The replies to one message of the other end, in the order of its requests. They are sent when all are known.
package struct RPCReplies {
    private struct Reply {
        var id: JSONValue
        var json: [UInt8]
    }

    let isBatch: Bool
    /// Maximum bytes of all replies together. A reply beyond it becomes an error.
    private let limit: Int
    /// An element is `nil` while its request has no answer.
    private var replies: [Reply?] = []
    private(set) var unfinished = 0

    init(isBatch: Bool, limit: Int) {
        (self.isBatch, self.limit) = (isBatch, limit)
    }

    mutating func append(_ id: JSONValue, _ result: Result<RPCResult, RPCError>) {
        replies.append(Reply(id: id, json: RPCReplies.response(id, result)))
    }

    /// Reserves a place for a later answer.
    mutating func reserve() -> Int {
        replies.append(nil)
        unfinished += 1
        return replies.count - 1
    }

    mutating func fill(_ place: Int, _ id: JSONValue, _ result: Result<RPCResult, RPCError>) {
        guard replies[place] == nil else { return }
        replies[place] = Reply(id: id, json: RPCReplies.response(id, result))
        unfinished -= 1
    }

    /// The JSON of the response, or `nil` if the client expects none.
    var text: [UInt8]? {
        let known = fitting
        guard isBatch, !known.isEmpty else { return known.first }
        var writer = JSONWriter(reserving: known.reduce(2) { $0 + $1.count + 1 })
        writer.beginArray()
        for reply in known { writer.raw(reply) }
        writer.endArray()
        return writer.bytes
    }

    /// The replies, with errors in place of those for which there is no room. Each reply has room for such an error.
    private var fitting: [[UInt8]] {
        let known = replies.compactMap(\.self)
        let errors = known.map { reply in
            RPCReplies.response(reply.id, .failure(.answerTooLarge(bytes: reply.json.count, limit: limit)))
        }
        var room = limit - zip(known, errors).reduce(0) { $0 + min($1.0.json.count, $1.1.count) }
        return zip(known, errors).map { reply, error in
            let more = max(0, reply.json.count - error.count)
            guard more <= room else { return error }
            room -= more
            return reply.json
        }
    }

    /// One response.
    package static func response(_ id: JSONValue, _ result: Result<RPCResult, RPCError>) -> [UInt8] {
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
