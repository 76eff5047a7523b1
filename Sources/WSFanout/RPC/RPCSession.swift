public import EventModel
public import JSON

/// The JSON-RPC 2.0 conversation on one WebSocket: a message in, the reply and what is to be done out.
public struct RPCSession: Sendable {
    /// Seconds for a socket to call `initialize`.
    public static let initializeSeconds = 10.0

    /// `nil` for what is not JSON, or nested too deeply.
    public typealias Parser = @Sendable (_ message: [UInt8]) -> JSONValue?

    enum Phase: Sendable {
        case new
        case ready
        case closed
    }

    public let clientID: String
    private let parse: Parser
    private let methods: RPCMethodTable
    private let deadline: Timestamp
    private var phase = Phase.new

    public init(
        clientID: String,
        openedAt: Timestamp,
        methods: RPCMethodTable = .standard,
        parse: @escaping Parser
    ) {
        self.clientID = clientID
        self.methods = methods
        self.parse = parse
        deadline = openedAt.adding(seconds: RPCSession.initializeSeconds)
    }

    public var isInitialized: Bool { phase == .ready }

    public mutating func receive(_ message: [UInt8], in context: RPCContext) -> RPCOutput {
        guard phase != .closed else { return RPCOutput() }
        var output = RPCOutput()
        switch RPCMessage(parse(message)) {
        case .refused(let error):
            output.reply = WebSocketFrame.text(RPCSession.failure(.null, error))
        case .single(let item):
            if let reply = answer(item, in: context, &output.actions) { output.reply = WebSocketFrame.text(reply) }
        case .batch(let items):
            let replies = items.compactMap { answer($0, in: context, &output.actions) }
            if !replies.isEmpty {
                var writer = JSONWriter(reserving: replies.reduce(2) { $0 + $1.count + 1 })
                writer.beginArray()
                for reply in replies { writer.raw(reply) }
                writer.endArray()
                output.reply = WebSocketFrame.text(writer.bytes)
            }
        }
        return output
    }

    /// Closes a socket that has not introduced itself in time.
    public mutating func tick(now: Timestamp) -> RPCOutput {
        guard phase == .new, now >= deadline else { return RPCOutput() }
        phase = .closed
        return RPCOutput(actions: [.close(.notInitialized)])
    }

    private mutating func answer(
        _ item: RPCItem,
        in context: RPCContext,
        _ actions: inout [RPCAction]
    ) -> [UInt8]? {
        switch item {
        case .response: return nil
        case .invalid(let id, let error): return RPCSession.failure(id, error)
        case .notification(let method, let params):
            _ = try? call(method, params, in: context, &actions)
            return nil
        case .request(let id, let method, let params):
            do throws(RPCError) {
                return RPCSession.success(id, try call(method, params, in: context, &actions))
            } catch {
                return RPCSession.failure(id, error)
            }
        }
    }

    private mutating func call(
        _ name: String,
        _ params: JSONValue?,
        in context: RPCContext,
        _ actions: inout [RPCAction]
    ) throws(RPCError) -> RPCResult {
        guard phase != .new || name == LifecycleMethods.initialize.name else { throw .notInitialized() }
        guard let method = methods[name] else { throw .methodNotFound() }
        var call = RPCCall(params: try RPCParams(params), context: context, clientID: clientID, phase: phase)
        let result = try method.run(&call)
        phase = call.phase
        actions += call.actions
        return result
    }

    private static func success(_ id: JSONValue, _ result: RPCResult) -> [UInt8] {
        response(id) { $0.field("result", json: result.json) }
    }

    private static func failure(_ id: JSONValue, _ error: RPCError) -> [UInt8] {
        response(id) { writer in
            writer.key("error")
            error.write(to: &writer)
        }
    }

    private static func response(_ id: JSONValue, _ body: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("jsonrpc", "2.0" as String?)
        writer.field("id", id)
        body(&writer)
        writer.endObject()
        return writer.bytes
    }
}

/// What comes of a message: send `reply`, then do `actions` in order.
public struct RPCOutput: Sendable, Equatable {
    /// Framed; empty where nothing is to be answered.
    public var reply: [UInt8] = []
    public var actions: [RPCAction] = []

    public init(reply: [UInt8] = [], actions: [RPCAction] = []) {
        self.reply = reply
        self.actions = actions
    }
}
