internal import API
internal import Access
internal import Agents
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Listener
internal import Persistence
internal import RPC
internal import WSFanout

extension SocketRoute {
    /// A machine's agent: JSON-RPC 2.0 in both directions.
    static let agent = SocketRoute("/api/agent", needs: .post) { route in
        route
            .saying(
                "The connection of a machine's agent: JSON-RPC 2.0 over WebSocket, with a machine's key.",
                faults: [426]
            )
            .answering(101, "application/json")
    } check: { request throws(APIError) in
        guard request.headers["origin"] == nil else {
            throw .insufficientScope("No page of a browser can be an agent.")
        }
    } converse: { socket in
        AgentSocket(socket)
    }
}

/// The connection of one agent, from its opening to its end. Loop thread only.
final class AgentSocket: Conversation {
    private unowned let handler: LoopHandler
    private let channel: ChannelID
    private let opener: Principal
    private var session: RPCSession<AgentHost>
    private var completions: [RPCCallID: AgentLink.Completion] = [:]
    private var worker: AgentWorker?
    private var early = EarlyPieces()
    private var hasForgotten = false
    /// What was masked of the texts that the sessions are writing.
    private var masking = CellRate()
    /// `Authenticator.keysGeneration` when the machine's key was last checked.
    private var keys: UInt64
    /// The answer to `initialize`. It waits until the agent's identity is checked.
    private var greeting: [UInt8]?

    var capability: Capability { .post }

    init(_ socket: OpenSocket) {
        (handler, channel, opener) = (socket.handler, socket.channel, socket.principal)
        keys = socket.handler.context.authenticator.keysGeneration
        session = AgentHost.session(openedAt: handler.context.steadyClock())
    }

    func begin(on loop: isolated NetworkLoop) {
        if case .machine = opener.holder { return }
        loop.close(channel, code: CloseCode.unauthorized.number, reason: "a machine's key is needed")
    }

    func received(_ message: [UInt8], isText: Bool, on loop: isolated NetworkLoop) {
        guard greeting == nil, isText, case .machine(let grant) = opener.holder else {
            return loop.close(channel, code: 1008, reason: "the protocol is not followed")
        }
        let context = handler.context
        let now = context.steadyClock()
        let output = session.receive(
            message,
            in: AgentHost.Context(
                principal: opener,
                now: now,
                node: context.agents.node,
                releases: context.agents.releases
            )
        )
        for action in output.actions {
            if case .greeted(let words) = action {
                greeting = output.messages.first ?? []
                return check(words, of: grant)
            }
            perform(action)
        }
        perform(output, on: loop)
        for task in output.tasks { start(task) }
    }

    private func perform(_ action: AgentHost.Action) {
        switch action {
        case .partial(let piece): publish(.text(piece))
        case .screen(let piece): publish(.screen(piece))
        case .chatText(let piece):
            if let worker {
                handler.context.agents.chats.deliver(piece, of: piece.chatID, from: worker.link.machine)
            }
        case .turnStep(let step):
            if let worker {
                handler.context.agents.turns.deliver(step, of: step.messageID, from: worker.link.machine)
            }
        case .session(let session) where session.state == .ended:
            _ = early.take(session.id)
            if let known = worker?.id(ofSessionNamed: session.id) { handler.forgetLive(of: known) }
            worker?.perform(action)
        case .filesChanged(let changes): if let worker { handler.publish(changes, on: worker.link.machine) }
        case .gitChanged(let change): if let worker { handler.publish(change, on: worker.link.machine) }
        case .watch(let state): if let worker { handler.publish(state, on: worker.link.machine) }
        default: worker?.perform(action)
        }
    }

    private func publish(_ piece: EarlyPieces.Piece) {
        guard let worker, !hasForgotten else { return }
        if worker.id(ofSessionNamed: piece.sessionName) != nil || worker.isLookingFor(piece.sessionName) {
            early.keep(piece)
            publishEarly(of: piece.sessionName)
        }
    }

    /// Publishes what has come of a session, once its id is known.
    private func publishEarly(of name: String) {
        guard let worker, let session = worker.id(ofSessionNamed: name) else { return }
        for piece in early.take(name) {
            switch piece {
            case .text(let text):
                handler.publish(text, of: session, on: worker.link.machine, masking: &masking)
            case .screen(let screen): handler.publish(screen, of: session, on: worker.link.machine)
            }
        }
    }

    /// The identity of the first agent of a machine counts, so that a stolen key is not enough to take its place.
    private func check(_ words: AgentGreeting, of grant: MachineGrant) {
        let (context, channel) = (handler.context, channel)
        context.task(for: grant.machine) {
            let admission = await context.agents.admit(words, of: grant)
            context.loop.post { handler, loop in
                let socket: AgentSocket? = handler.conversation(on: channel)
                socket?.admitted(words, grant, admission, on: loop)
            }
        }
    }

    private func admitted(
        _ words: AgentGreeting,
        _ grant: MachineGrant,
        _ admission: AgentService.Admission,
        on loop: isolated NetworkLoop
    ) {
        switch admission {
        case .admitted: break
        case .otherIdentity: return loop.close(channel, code: 4403, reason: "another agent belongs to this machine")
        case .databaseUnavailable: return loop.close(channel, code: 1013, reason: "the database cannot be reached")
        }
        let (context, channel) = (handler.context, channel)
        if let earlier = context.agents.links.link(of: grant.machine).flatMap(handler.socket(of:)) {
            earlier.forgetLive()
        }
        let link = AgentLink(grant, words, since: context.clock()) { method, seconds, params, completion in
            context.loop.post { handler, loop in
                let socket: AgentSocket? = handler.conversation(on: channel)
                guard let socket else { return completion(.ended) }
                socket.call(method, seconds, params, completion, on: loop)
            }
        }
        let worker = AgentWorker(context: context, link: link) { name in
            context.loop.post { handler, _ in
                let socket: AgentSocket? = handler.conversation(on: channel)
                socket?.publishEarly(of: name)
            }
        }
        self.worker = worker
        if let greeting { send([greeting], on: loop) }
        greeting = nil
        handler.agentChannels[ObjectIdentifier(link)] = channel
        worker.begin()
        handler.watchesBegin(on: link)
    }

    private func call(
        _ method: String,
        _ seconds: Double,
        _ params: JSONValue,
        _ completion: @escaping AgentLink.Completion,
        on loop: isolated NetworkLoop
    ) {
        let deadline = handler.context.steadyClock().adding(seconds: seconds)
        do throws(RPCError) {
            let (call, output) = try session.call(method, deadline: deadline) { writer in
                guard case .object(let members) = params else { return }
                for (name, value) in members { writer.field(name, value) }
            }
            completions[call] = completion
            perform(output, on: loop)
        } catch {
            completion(.failed(error))
        }
    }

    private func start(_ task: RPCTask<AgentHost>) {
        guard let worker else { return }
        let (context, channel) = (handler.context, channel)
        context.task(for: worker.link.machine) {
            let result = await task.run(with: worker.prompts)
            context.loop.post { handler, loop in
                let socket: AgentSocket? = handler.conversation(on: channel)
                guard let socket else { return }
                socket.perform(socket.session.finish(task.token, result), on: loop)
            }
        }
    }

    private func perform(_ output: RPCOutput<AgentHost>, on loop: isolated NetworkLoop) {
        send(output.messages, on: loop)
        for (call, outcome) in output.outcomes { completions.removeValue(forKey: call)?(outcome) }
        guard let end = output.end else { return }
        let code = end == .flooded ? CloseCode.tooManyRequests : CloseCode.notInitialized
        loop.close(channel, code: code.number, reason: code.reason)
    }

    private func send(_ messages: [[UInt8]], on loop: isolated NetworkLoop) {
        for message in messages { _ = loop.send(WebSocketFrame.text(message), to: channel) }
    }

    func tick(on loop: isolated NetworkLoop) {
        perform(session.tick(now: handler.context.steadyClock()), on: loop)
        let authenticator = handler.context.authenticator
        guard keys != authenticator.keysGeneration, case .machine(let grant) = opener.holder else { return }
        keys = authenticator.keysGeneration
        guard !authenticator.knows(grant) else { return }
        loop.close(channel, code: CloseCode.unauthorized.number, reason: CloseCode.unauthorized.reason)
    }

    func ended() {
        for (call, outcome) in session.end().outcomes { completions.removeValue(forKey: call)?(outcome) }
        guard let worker else { return }
        handler.agentChannels[ObjectIdentifier(worker.link)] = nil
        forgetLive()
        worker.end()
        handler.watchesEnd(on: worker.link)
    }

    /// Also called when the agent has connected again: what its new connection reports must not be forgotten with this
    /// one.
    private func forgetLive() {
        guard let worker, !hasForgotten else { return }
        hasForgotten = true
        for session in worker.sessions { handler.forgetLive(of: session) }
    }
}

extension LoopHandler {
    fileprivate func socket(of link: AgentLink) -> AgentSocket? {
        agentChannels[ObjectIdentifier(link)].flatMap { conversation(on: $0) }
    }

    /// Closes the link of a machine whose agent has connected again.
    func closeReplaced(_ link: AgentLink, on loop: isolated NetworkLoop) {
        guard let channel = agentChannels[ObjectIdentifier(link)] else { return }
        loop.close(channel, code: 4409, reason: "the agent has connected again")
    }
}
