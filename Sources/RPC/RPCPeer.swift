public import EventModel
public import JSON

/// One end of a JSON-RPC 2.0 conversation over any transport that keeps messages apart: it is called, and it calls.
///
/// It does no I/O and reads no clock. Each input returns what has to be done, in order.
public struct RPCPeer: Sendable {
    /// Reads one JSON text. Returns `nil` for what is not JSON or nested too deeply.
    public typealias Parser = @Sendable (_ message: [UInt8]) -> JSONValue?

    public struct Limits: Sendable {
        /// Requests in one batch; a larger batch is refused as a whole.
        public var batch = 50
        /// Delivered requests that have no answer yet; a further one is refused with -32000.
        public var unanswered = 256
        /// Calls of this end that have no answer yet; a further one is refused here.
        public var pending = 64
        /// Requests a second that may go on for ever.
        public var perSecond = 100.0
        /// Requests that may come at once after a quiet time.
        public var burst = 1000

        public init() {}
    }

    public enum Action: Sendable, Equatable {
        /// One JSON text, without the transport's frame.
        case send([UInt8])
        /// To be answered with `answer`, in any order, unless it is a notification.
        case deliver(RPCRequest)
        /// A call of this end has its answer, or the conversation has ended without one.
        case complete(RPCCallID, Result<JSONValue, RPCError>)
        /// A call of this end got no answer by its deadline. An answer that comes later is passed over.
        case timeOut(RPCCallID)
        /// The other end sends more than the limits let it. The message was not read: the connection has to be closed.
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

    public init(limits: Limits = Limits(), parse: @escaping Parser) {
        self.limits = limits
        self.parse = parse
        pace = RateLimit(requestsPerSecond: limits.perSecond, burst: limits.burst)
    }

    // MARK: Being called

    /// Takes a whole message of the other end. All times are of one clock that is not set.
    public mutating func receive(_ message: [UInt8], now: Timestamp) -> [Action] {
        guard !hasEnded else { return [] }
        let message = RPCMessage(parse(message), maxBatch: limits.batch)
        guard rate.take(pace, requests: message.cost, now: now).isAllowed else { return [.flooded] }
        let number = nextNumber()
        switch message {
        case .refused(let error): return [.send(RPCReplies.response(.null, .failure(error)))]
        case .items(let items, let isBatch):
            var replies = RPCReplies(isBatch: isBatch)
            let actions = items.flatMap { take($0, of: number, &replies) }
            return actions + settle(replies, number)
        }
    }

    /// Answers a delivered request. The replies to a batch leave together, with the last of them. An unknown token and
    /// that of a notification are passed over.
    public mutating func answer(_ token: Int64, _ result: Result<RPCResult, RPCError>) -> [Action] {
        guard let place = places.removeValue(forKey: token),
            var replies = openMessages.removeValue(forKey: place.message)
        else { return [] }
        replies.fill(place.index, place.id, result)
        return settle(replies, place.message)
    }

    /// Returns whether requests of the message have no answer yet.
    public func owes(_ message: Int64) -> Bool { openMessages[message] != nil }

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

    /// Calls a method of the other end. `complete` or `timeOut` follows with the returned id, once.
    ///
    /// - Parameter params: writes the members of the parameters.
    public mutating func call(
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

    /// Tells the other end something that it does not answer.
    public func notify(_ method: String, _ params: (inout JSONWriter) -> Void = { _ in }) -> [Action] {
        hasEnded ? [] : [.send(RPCPeer.request(method, id: nil, params))]
    }

    /// When `tick` has something to do at the earliest.
    public var nextDeadline: Timestamp? { deadlines.values.min() }

    public mutating func tick(now: Timestamp) -> [Action] {
        let late = deadlines.filter { $0.value <= now }.keys.sorted()
        for call in late { deadlines[call] = nil }
        return late.map { .timeOut($0) }
    }

    /// The connection is closed: every pending call fails, and nothing is taken or sent any more.
    public mutating func end() -> [Action] {
        hasEnded = true
        let calls = deadlines.keys.sorted()
        (deadlines, places, openMessages) = ([:], [:], [:])
        return calls.map { .complete($0, .failure(.disconnected())) }
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

/// A request or notification of the other end.
public struct RPCRequest: Sendable, Equatable {
    /// Names it for `RPCPeer.answer`. Grows from one to the next.
    public let token: Int64
    /// The message that it came in; those of a batch have the same.
    public let message: Int64
    public let method: String
    /// An object or an array.
    public let params: JSONValue?
    public let isNotification: Bool
}

/// A call of this end.
public struct RPCCallID: Sendable, Hashable, Comparable {
    let number: Int64

    init(number: Int64) { self.number = number }

    /// Reads the id that the peer sends back. Calls have integer ids, so no other kind matches one.
    init?(_ id: JSONValue) {
        guard case .integer(let number) = id else { return nil }
        self.number = number
    }

    public static func < (one: RPCCallID, other: RPCCallID) -> Bool { one.number < other.number }
}
