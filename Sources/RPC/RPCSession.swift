package import EventModel
package import JSON

/// One end of a conversation, which serves methods and calls those of the other end. It does no I/O: each input gives
/// an output, which the host carries out.
package struct RPCSession<Host: RPCHost>: Sendable {
    /// The maximum number of running tasks of one session. A further call is refused with -32000.
    package static var maxTasks: Int { 64 }

    /// The call with which the other end must begin, to an immediate method.
    package typealias Opening = (method: String, deadline: Timestamp)

    package private(set) var state: Host.State
    private var peer: RPCPeer
    private let methods: RPCMethodTable<Host>
    private var opening: Opening?
    private var isClosed = false
    /// The tokens of the running tasks, including those of notifications.
    private var openTasks: Set<Int64> = []
    /// The message whose method ended the conversation, until it is answered.
    private var lastMessage: Int64?

    /// - Parameter opening: `nil` if the other end may call any method first.
    package init(
        state: Host.State,
        methods: RPCMethodTable<Host>,
        opening: Opening? = nil,
        limits: RPCPeer.Limits = RPCPeer.Limits(),
        parse: @escaping RPCPeer.Parser
    ) {
        (self.state, self.methods, self.opening) = (state, methods, opening)
        peer = RPCPeer(limits: limits, parse: parse)
    }

    package var isOpen: Bool { opening == nil && !isClosed }

    // MARK: Being called

    package mutating func receive(_ message: [UInt8], in context: Host.Context) -> RPCOutput<Host> {
        var output = RPCOutput<Host>()
        guard !isClosed else { return output }
        for action in peer.receive(message, now: context.now) { perform(action, in: context, &output) }
        settle(&output)
        return output
    }

    /// Handles the outcome of a task. Ignores an unknown token.
    package mutating func finish(_ token: Int64, _ outcome: Result<RPCAnswer<Host>, RPCError>) -> RPCOutput<Host> {
        var output = RPCOutput<Host>()
        guard openTasks.remove(token) != nil else { return output }
        switch outcome {
        case .success(let answer):
            self.answer(token, answer.result, &output)
            output.actions = answer.actions
        case .failure(let error): answer(token, .failure(error), &output)
        }
        settle(&output)
        return output
    }

    private mutating func perform(
        _ action: RPCPeer.Action,
        in context: Host.Context,
        _ output: inout RPCOutput<Host>
    ) {
        switch action {
        case .send(let text): output.messages.append(text)
        case .deliver(let request):
            do throws(RPCError) {
                if let result = try serve(request, in: context, &output) {
                    answer(request.token, .success(result), &output)
                } else {
                    openTasks.insert(request.token)
                }
            } catch {
                answer(request.token, .failure(error), &output)
            }
        case .flooded:
            isClosed = true
            output.end = .flooded
        case .complete(let call, let outcome): output.outcomes.append((call, outcome))
        }
    }

    private mutating func answer(
        _ token: Int64,
        _ result: Result<RPCResult, RPCError>,
        _ output: inout RPCOutput<Host>
    ) {
        for case .send(let text) in peer.answer(token, result) { output.messages.append(text) }
    }

    /// The conversation ends after the answer to its last message.
    private mutating func settle(_ output: inout RPCOutput<Host>) {
        guard let message = lastMessage, !peer.owes(message) else { return }
        lastMessage = nil
        output.end = .finished
    }

    /// Returns `nil` if the result comes later, from the task with the request's token.
    private mutating func serve(
        _ request: RPCRequest,
        in context: Host.Context,
        _ output: inout RPCOutput<Host>
    ) throws(RPCError) -> RPCResult? {
        let isOpening = opening?.method == request.method
        guard opening == nil || isOpening else { throw .notInitialized() }
        guard let method = methods[request.method] else { throw .methodNotFound() }
        guard method.description.isAllowed(to: context.principal) else {
            let needed = method.description.orNeeds ?? method.description.needs
            throw .lacking(needed, context.principal, method.name)
        }
        let params = try RPCParams(request.params)
        for parameter in method.description.parameters { try parameter.check(params) }
        switch method.body {
        case .immediate(let run):
            var call = RPCCall<Host>(params: params, context: context, isOpening: isOpening, state: state)
            let result = try run(&call)
            opening = nil
            apply(call, request, &output)
            return result
        case .deferred(let check, let query):
            try check(params)
            guard openTasks.count < RPCSession.maxTasks else { throw .busy() }
            output.tasks.append(
                RPCTask(
                    token: request.token,
                    method: method.name,
                    params: params,
                    state: state,
                    context: context,
                    endsWithConversation: method.endsWithConversation,
                    query: query
                )
            )
            return nil
        }
    }

    /// The actions of a call are performed at once, even if its answer has to wait, because later messages build on
    /// them. After the end of the conversation there are none.
    private mutating func apply(_ call: RPCCall<Host>, _ request: RPCRequest, _ output: inout RPCOutput<Host>) {
        state = call.state
        guard lastMessage == nil else { return }
        // The first call's array is taken as it is, without an allocation.
        if output.actions.isEmpty { output.actions = call.actions } else { output.actions += call.actions }
        guard call.isLast else { return }
        isClosed = true
        lastMessage = request.message
    }

    // MARK: Calling

    /// Calls a method of the other end. Exactly one later output has the outcome.
    ///
    /// - Parameters:
    ///   - deadline: on the clock of the contexts.
    ///   - params: writes the members of the parameters.
    package mutating func call(
        _ method: String,
        deadline: Timestamp,
        _ params: (inout JSONWriter) -> Void = { _ in }
    ) throws(RPCError) -> (call: RPCCallID, output: RPCOutput<Host>) {
        guard !isClosed else { throw .disconnected() }
        var output = RPCOutput<Host>()
        let (call, action) = try peer.call(method, deadline: deadline, params)
        if case .send(let text) = action { output.messages.append(text) }
        return (call, output)
    }

    /// Ends the calls whose deadline has passed, and a conversation that was not opened in time.
    package mutating func tick(now: Timestamp) -> RPCOutput<Host> {
        var output = RPCOutput<Host>()
        if let opening, now >= opening.deadline {
            (self.opening, isClosed) = (nil, true)
            output.end = .notOpened
        }
        for case .complete(let call, let outcome) in peer.tick(now: now) { output.outcomes.append((call, outcome)) }
        return output
    }

    /// Call when the connection is closed. Returns the outcomes of the calls without an answer.
    package mutating func end() -> RPCOutput<Host> {
        isClosed = true
        var output = RPCOutput<Host>()
        for case .complete(let call, let outcome) in peer.end() { output.outcomes.append((call, outcome)) }
        return output
    }
}
