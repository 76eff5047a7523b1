public import EventModel
public import JSON

/// The JSON-RPC 2.0 conversation on one WebSocket: a message in, the reply and what is to be done out.
public struct RPCSession: Sendable {
    /// Seconds for a socket to call `initialize`.
    public static let initializeSeconds = 10.0
    /// Tasks of one socket under way at a time; a further call is refused with -32000.
    public static let maxTasks = 64

    /// `nil` for what is not JSON, or nested too deeply.
    public typealias Parser = @Sendable (_ message: [UInt8]) -> JSONValue?

    enum Phase: Sendable {
        case new
        case ready
        case closed
    }

    private enum OpenTask {
        case request(id: JSONValue, message: Int64, place: Int)
        /// Counts against the bound like a request, and is not answered.
        case notification
    }

    public let clientID: String
    private let parse: Parser
    private let methods: RPCMethodTable
    private let deadline: Timestamp
    private var phase = Phase.new
    private var stream = ClientStream()
    private var pace = RPCPace()
    private var lastNumber: Int64 = 0
    private var openTasks: [Int64: OpenTask] = [:]
    private var openMessages: [Int64: RPCReplies] = [:]

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
        lastNumber += 1
        let number = lastNumber
        var replies = RPCReplies(isBatch: false)
        let message = RPCMessage(parse(message))
        guard pace.take(message.cost, now: context.now) else {
            phase = .closed
            return RPCOutput(actions: [.close(.tooManyRequests)])
        }
        switch message {
        case .refused(let error): replies.append(.null, .failure(error))
        case .single(let item): answer(item, of: number, in: context, &replies)
        case .batch(let items):
            replies = RPCReplies(isBatch: true)
            for item in items { answer(item, of: number, in: context, &replies) }
        }
        let tasks = replies.tasks
        replies.tasks = []
        var output = settle(replies, number)
        output.tasks = tasks
        return output
    }

    /// The outcome of a task. An unknown token is passed over.
    public mutating func finish(_ token: Int64, _ result: Result<RPCResult, RPCError>) -> RPCOutput {
        guard case .request(let id, let message, let place) = openTasks.removeValue(forKey: token),
            var replies = openMessages.removeValue(forKey: message)
        else { return RPCOutput() }
        replies.fill(place, id, result)
        return settle(replies, message)
    }

    /// Closes a socket that has not introduced itself in time.
    public mutating func tick(now: Timestamp) -> RPCOutput {
        guard phase == .new, now >= deadline else { return RPCOutput() }
        phase = .closed
        return RPCOutput(actions: [.close(.notInitialized)])
    }

    /// What was asked for is done at once, whatever the answer waits for: later messages build on it. Only the end of
    /// the conversation comes behind the answer.
    private mutating func settle(_ replies: RPCReplies, _ message: Int64) -> RPCOutput {
        guard replies.unfinished > 0 else { return RPCOutput(reply: replies.frame, actions: replies.actions) }
        var waiting = replies
        let actions = waiting.takeActionsBeforeEnd()
        openMessages[message] = waiting
        return RPCOutput(actions: actions)
    }

    private mutating func answer(
        _ item: RPCItem,
        of message: Int64,
        in context: RPCContext,
        _ replies: inout RPCReplies
    ) {
        switch item {
        case .response: break
        case .invalid(let id, let error): replies.append(id, .failure(error))
        case .notification(let method, let params):
            do throws(RPCError) {
                if try call(method, params, in: context, &replies) == nil { openTasks[lastNumber] = .notification }
            } catch {
                // A notification has no answer, not even an error (JSON-RPC 2.0 section 4.1).
            }
        case .request(let id, let method, let params):
            do throws(RPCError) {
                if let result = try call(method, params, in: context, &replies) {
                    replies.append(id, .success(result))
                } else {
                    openTasks[lastNumber] = .request(id: id, message: message, place: replies.reserve())
                }
            } catch {
                replies.append(id, .failure(error))
            }
        }
    }

    /// `nil`: the result comes later, as that of the task with the token `lastNumber`.
    private mutating func call(
        _ name: String,
        _ params: JSONValue?,
        in context: RPCContext,
        _ replies: inout RPCReplies
    ) throws(RPCError) -> RPCResult? {
        guard phase != .new || name == LifecycleMethods.initialize.name else { throw .notInitialized() }
        guard let method = methods[name] else { throw .methodNotFound() }
        let needed = method.description.needs
        guard context.principal.may(needed) else { throw .lacking(needed, context.principal, name) }
        let params = try RPCParams(params)
        for parameter in method.description.parameters { try parameter.check(params) }
        switch method.body {
        case .immediate(let run):
            var call = RPCCall(params: params, context: context, clientID: clientID, phase: phase, stream: stream)
            let result = try run(&call)
            (phase, stream) = (call.phase, call.stream)
            replies.actions += call.actions
            return result
        case .deferred(let check, let query):
            try check(params)
            guard openTasks.count < RPCSession.maxTasks else { throw .busy() }
            lastNumber += 1
            replies.tasks.append(
                RPCTask(
                    token: lastNumber,
                    method: name,
                    params: params,
                    clientID: clientID,
                    context: context,
                    query: query
                )
            )
            return nil
        }
    }
}

/// What comes of a message: send `reply`, then do `actions` in order; `tasks` may run side by side.
public struct RPCOutput: Sendable {
    /// Framed; empty where nothing is to be answered yet.
    public var reply: [UInt8] = []
    public var actions: [RPCAction] = []
    public var tasks: [RPCTask] = []

    public var isEmpty: Bool { reply.isEmpty && actions.isEmpty && tasks.isEmpty }

    public init(reply: [UInt8] = [], actions: [RPCAction] = [], tasks: [RPCTask] = []) {
        self.reply = reply
        self.actions = actions
        self.tasks = tasks
    }
}
