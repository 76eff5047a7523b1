public import EventModel
public import RPC
public import WSFanout

/// The conversation on one client's WebSocket. Each message gives a reply and the actions to perform.
public struct RPCSession: Sendable {
    /// The number of seconds in which a socket must call `initialize`.
    public static let initializeSeconds = 10.0
    /// The maximum number of running tasks of one socket. A further call is refused with -32000.
    public static let maxTasks = 64

    enum Phase: Sendable {
        case new
        case ready
        case closed
    }

    /// What waits until the message that ends the conversation is answered.
    private struct Ending {
        var message: Int64
        var actions: [HubAction]
    }

    public let clientID: String
    private var peer: RPCPeer
    private let methods: RPCMethodTable
    private let deadline: Timestamp
    private var phase = Phase.new
    private var stream = ClientStream()
    /// The tokens of the running tasks, including those of notifications.
    private var openTasks: Set<Int64> = []
    private var ending: Ending?

    public init(
        clientID: String,
        openedAt: Timestamp,
        methods: RPCMethodTable = .standard,
        parse: @escaping RPCPeer.Parser
    ) {
        self.clientID = clientID
        self.methods = methods
        peer = RPCPeer(parse: parse)
        deadline = openedAt.adding(seconds: RPCSession.initializeSeconds)
    }

    public var isInitialized: Bool { phase == .ready }
    public var speaksCdev: Bool { stream.dialect == .cdev }

    public mutating func receive(_ message: [UInt8], in context: RPCContext) -> RPCOutput {
        guard phase != .closed else { return RPCOutput() }
        var output = RPCOutput()
        for action in peer.receive(message, now: context.now) { perform(action, in: context, &output) }
        settle(&output)
        return output
    }

    /// Handles the outcome of a task. Ignores an unknown token.
    package mutating func finish(_ token: Int64, _ outcome: Result<RPCAnswer, RPCError>) -> RPCOutput {
        guard openTasks.remove(token) != nil else { return RPCOutput() }
        var output = RPCOutput()
        answer(token, outcome.map(\.result), &output)
        if speaksCdev, let opened = try? outcome.get().opened { output.reminders.append(.session(opened)) }
        settle(&output)
        return output
    }

    /// Closes a socket that has not called `initialize` in time.
    public mutating func tick(now: Timestamp) -> RPCOutput {
        guard phase == .new, now >= deadline else { return RPCOutput() }
        phase = .closed
        return RPCOutput(actions: [.close(.notInitialized)])
    }

    private mutating func perform(_ action: RPCPeer.Action, in context: RPCContext, _ output: inout RPCOutput) {
        switch action {
        case .send(let text): output.reply += WebSocketFrame.text(text)
        case .deliver(let request):
            do throws(RPCError) {
                if let result = try call(request, in: context, &output) {
                    answer(request.token, .success(result), &output)
                } else {
                    openTasks.insert(request.token)
                }
            } catch {
                answer(request.token, .failure(error), &output)
            }
        case .flooded:
            phase = .closed
            output.actions.append(.close(.tooManyRequests))
        case .complete, .timeOut: break
        }
    }

    private mutating func answer(
        _ token: Int64,
        _ result: Result<RPCResult, RPCError>,
        _ output: inout RPCOutput
    ) {
        for case .send(let text) in peer.answer(token, result) { output.reply += WebSocketFrame.text(text) }
    }

    /// Performs the actions of a call at once, even if its answer has to wait, because later messages build on them.
    /// Only the end of the conversation comes after the answer.
    private mutating func act(_ actions: [HubAction], for request: RPCRequest, _ output: inout RPCOutput) {
        for action in actions {
            if ending == nil, case .close = action { ending = Ending(message: request.message, actions: []) }
            if ending == nil { output.actions.append(action) } else { ending?.actions.append(action) }
        }
    }

    private mutating func settle(_ output: inout RPCOutput) {
        guard let ended = ending, !peer.owes(ended.message) else { return }
        ending = nil
        output.actions += ended.actions
    }

    /// Returns `nil` if the result comes later, from the task with the request's token.
    private mutating func call(
        _ request: RPCRequest,
        in context: RPCContext,
        _ output: inout RPCOutput
    ) throws(RPCError) -> RPCResult? {
        let name = request.method
        guard phase != .new || name == LifecycleMethods.initialize.name else { throw .notInitialized() }
        guard let method = methods[name] else { throw .methodNotFound() }
        let needed = method.description.needs
        guard context.principal.may(needed) else { throw .lacking(needed, context.principal, name) }
        let params = try RPCParams(request.params)
        for parameter in method.description.parameters { try parameter.check(params) }
        switch method.body {
        case .immediate(let run):
            var call = RPCCall(params: params, context: context, clientID: clientID, phase: phase, stream: stream)
            let result = try run(&call)
            (phase, stream) = (call.phase, call.stream)
            if speaksCdev { output.reminders += call.reminders }
            act(call.actions, for: request, &output)
            return result
        case .deferred(let check, let query):
            try check(params)
            guard openTasks.count < RPCSession.maxTasks else { throw .busy() }
            output.tasks.append(
                RPCTask(
                    token: request.token,
                    method: name,
                    params: params,
                    clientID: clientID,
                    dialect: stream.dialect,
                    context: context,
                    endsWithSocket: method.endsWithSocket,
                    query: query
                )
            )
            return nil
        }
    }
}

/// Open prompts whose dialogs a client of the cdev dialect may have missed.
public enum RPCReminder: Sendable, Equatable {
    case session(String)
    /// Of the session that the device showed before it connected again.
    case lastSession
}

/// The result of a message. Send `reply`, then perform `actions` in order. `tasks` may run concurrently.
public struct RPCOutput: Sendable {
    /// WebSocket frames. Empty if there is nothing to answer yet.
    public var reply: [UInt8] = []
    public var actions: [HubAction] = []
    public var tasks: [RPCTask] = []
    /// The prompts whose dialogs the client must get after the reply.
    public var reminders: [RPCReminder] = []

    public var isEmpty: Bool { reply.isEmpty && actions.isEmpty && tasks.isEmpty && reminders.isEmpty }

    public init(reply: [UInt8] = [], actions: [HubAction] = [], tasks: [RPCTask] = []) {
        self.reply = reply
        self.actions = actions
        self.tasks = tasks
    }
}
