package import EventModel
package import JSON

/// One end of a JSON-RPC 2.0 conversation, over any transport that preserves message boundaries. Both ends may call.
///
/// It does no I/O and reads no clock. Each input returns the actions that the caller must perform, in order.
package struct RPCPeer: Sendable {
    /// Parses one JSON text. Returns `nil` if the text is not JSON or is nested too deeply.
    package typealias Parser = @Sendable (_ message: [UInt8]) -> JSONValue?

    package struct Limits: Sendable {
        /// Maximum number of requests in one batch. A larger batch is refused as a whole.
        package var batch = 50
        /// Maximum number of delivered requests without an answer. Further requests are refused with -32000.
        package var unanswered = 256
        /// Maximum number of calls of this end without an answer. Further calls fail without being sent.
        package var pending = 64
        /// Maximum sustained number of requests per second.
        package var perSecond = 100.0
        /// Maximum number of requests at once after an idle period.
        package var burst = 1000
        /// Maximum bytes of the replies to one message, without brackets and commas. Many WebSocket clients close the
        /// connection at a message above 1 MiB.
        package var replyBytes = (1 << 20) - 1024

        package init() {}
    }

    package enum Action: Sendable, Equatable {
        /// One JSON text, without the transport's frame.
        case send([UInt8])
        /// Handle this request and call `answer`, in any order, unless the request is a notification.
        case deliver(RPCRequest)
        /// A call of this end is over. A later answer is ignored.
        case complete(RPCCallID, RPCOutcome)
        /// The other end exceeds the rate limit. The message was not handled, and the connection must be closed.
        case flooded
    }

    /// Where the answer to a delivered request goes.
    private struct Place {
        var id: JSONValue
        var message: Int64
        var index: Int
    }

    private let limits: Limits
    private let parse: Parser
    private let pace: RateLimit
    private var rate = CellRate()
    private var lastNumber: Int64 = 0
    private var places: [Int64: Place] = [:]
    private var openMessages: [Int64: RPCReplies] = [:]
    private var deadlines: [RPCCallID: Timestamp] = [:]
    private var hasEnded = false

    package init(limits: Limits = Limits(), parse: @escaping Parser) {
        self.limits = limits
        self.parse = parse
        pace = RateLimit(requestsPerSecond: limits.perSecond, burst: limits.burst)
    }

    // MARK: Being called

    /// Receives a whole message from the other end. All times are of one monotonic clock.
    package mutating func receive(_ message: [UInt8], now: Timestamp) -> [Action] {
        guard !hasEnded else { return [] }
        let message = RPCMessage(parse(message), maxBatch: limits.batch)
        guard rate.take(pace, requests: message.cost, now: now).isAllowed else { return [.flooded] }
        let number = nextNumber()
        switch message {
        case .refused(let error): return [.send(RPCReplies.response(.null, .failure(error)))]
        case .items(let items, let isBatch):
            var replies = RPCReplies(isBatch: isBatch, limit: limits.replyBytes)
            let actions = items.flatMap { take($0, of: number, &replies) }
            return actions + settle(replies, number)
        }
    }

    /// Answers a delivered request. The replies to a batch are sent together when the last one is known. Ignores the
    /// token of a notification and unknown tokens.
    package mutating func answer(_ token: Int64, _ result: Result<RPCResult, RPCError>) -> [Action] {
        guard let place = places.removeValue(forKey: token),
            var replies = openMessages.removeValue(forKey: place.message)
        else { return [] }
        replies.fill(place.index, place.id, result)
        return settle(replies, place.message)
    }

    /// Returns whether any request of the message has no answer yet.
    package func owes(_ message: Int64) -> Bool { openMessages[message] != nil }

    private mutating func take(_ item: RPCItem, of message: Int64, _ replies: inout RPCReplies) -> [Action] {
        switch item {
        case .request(let id, let method, let params):
            guard places.count < limits.unanswered else {
                replies.append(id, .failure(.busy()))
                return []
            }
            let token = nextNumber()
            places[token] = Place(id: id, message: message, index: replies.reserve())
            let request = RPCRequest(
                token: token,
                message: message,
                method: method,
                params: params,
                isNotification: false
            )
            return [.deliver(request)]
        case .notification(let method, let params):
            let request = RPCRequest(
                token: nextNumber(),
                message: message,
                method: method,
                params: params,
                isNotification: true
            )
            return [.deliver(request)]
        case .response(let id, let outcome):
            guard let call = id.flatMap(RPCCallID.init), deadlines.removeValue(forKey: call) != nil else { return [] }
            return [.complete(call, outcome)]
        case .invalid(let id, let error):
            replies.append(id, .failure(error))
            return []
        }
    }

    private mutating func settle(_ replies: RPCReplies, _ message: Int64) -> [Action] {
        guard replies.unfinished == 0 else {
            openMessages[message] = replies
            return []
        }
        return replies.text.map { [.send($0)] } ?? []
    }

    /// Numbers messages and the requests in them.
    private mutating func nextNumber() -> Int64 {
        lastNumber += 1
        return lastNumber
    }

    // MARK: Calling

    /// Calls a method of the other end. Exactly one `complete` with the returned id follows.
    ///
    /// - Parameter params: writes the members of the parameters.
    package mutating func call(
        _ method: String,
        deadline: Timestamp,
        _ params: (inout JSONWriter) -> Void = { _ in }
    ) throws(RPCError) -> (call: RPCCallID, action: Action) {
        guard !hasEnded else { throw .disconnected() }
        guard deadlines.count < limits.pending else { throw .busy() }
        let call = RPCCallID(number: nextNumber())
        deadlines[call] = deadline
        return (call, .send(RPCPeer.request(method, id: call, params)))
    }

    /// Sends a notification, which the other end does not answer.
    package func notify(_ method: String, _ params: (inout JSONWriter) -> Void = { _ in }) -> [Action] {
        hasEnded ? [] : [.send(RPCPeer.request(method, id: nil, params))]
    }

    /// The earliest time at which `tick` has something to do.
    package var nextDeadline: Timestamp? { deadlines.values.min() }

    package mutating func tick(now: Timestamp) -> [Action] {
        guard !deadlines.isEmpty else { return [] }
        let late = deadlines.filter { $0.value <= now }.keys.sorted()
        for call in late { deadlines[call] = nil }
        return late.map { .complete($0, .timedOut) }
    }

    /// Call when the connection is closed. Every pending call ends, and nothing is received or sent any more.
    package mutating func end() -> [Action] {
        hasEnded = true
        let calls = deadlines.keys.sorted()
        (deadlines, places, openMessages) = ([:], [:], [:])
        return calls.map { .complete($0, .ended) }
    }

    private static func request(
        _ method: String,
        id: RPCCallID?,
        _ params: (inout JSONWriter) -> Void
    ) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("jsonrpc", "2.0")
        writer.field("id", id?.number)
        writer.field("method", method)
        writer.beginObject("params")
        params(&writer)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }
}

/// A request or notification from the other end.
package struct RPCRequest: Sendable, Equatable {
    /// Identifies the request for `RPCPeer.answer`. Each request has a higher token than the one before.
    package let token: Int64
    /// The message that contained the request. All requests of a batch have the same value.
    package let message: Int64
    package let method: String
    /// An object or an array.
    package let params: JSONValue?
    package let isNotification: Bool
}

/// A call of this end.
package struct RPCCallID: Sendable, Hashable, Comparable {
    let number: Int64

    init(number: Int64) { self.number = number }

    /// Reads the id in a response of the other end. Calls have integer ids, so no other kind of id matches.
    init?(_ id: JSONValue) {
        guard case .integer(let number) = id else { return nil }
        self.number = number
    }

    package static func < (one: RPCCallID, other: RPCCallID) -> Bool { one.number < other.number }
}
