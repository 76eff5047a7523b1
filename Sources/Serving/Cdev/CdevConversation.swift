internal import API
internal import Agents
internal import CdevDialect
internal import EventModel
internal import GitInterface
internal import JSON
internal import Listener
internal import Persistence
internal import Prompts
internal import RPC
internal import Sessions
internal import WSFanout

extension SocketRoute {
    /// JSON-RPC 2.0, and events as notifications.
    static let cdev = SocketRoute("/ws") { route in
        route
            .saying("JSON-RPC 2.0 over WebSocket; see /api/rpc/discover.", faults: [426])
            .answering(101, "application/json")
    } converse: { socket in
        CdevConversation(socket)
    }
}

final class CdevConversation: Conversation {
    private static let maximumDepth = 32

    private unowned let handler: LoopHandler
    private let channel: ChannelID
    private var session: RPCSession<CdevHost>
    /// Whether the client was told, after its first subscription, which prompts wait for a person.
    private var knowsPrompts = false
    /// Tasks that end with the socket, by their tokens.
    private var waiting: [Int64: Task<Void, Never>] = [:]
    /// The principal that opened the socket, with its rights at that time.
    private let opener: Principal
    private let services: CdevServices
    private let owner: QueryOwner

    init(_ socket: OpenSocket) {
        (handler, channel, opener) = (socket.handler, socket.channel, socket.principal)
        let (context, origin) = (handler.context, Caller(socket.request, opener))
        services = context.cdevServices(origin)
        owner = QueryOwner(origin.principal, peer: origin.peer)
        var random = SystemRandomNumberGenerator()
        let clientID = EventID.version7(at: context.clock(), using: &random).description
        session = CdevHost.session(
            clientID: clientID,
            openedAt: context.steadyClock(),
            isPatient: context.isSeedCompatible,
            parse: CdevConversation.parse
        )
    }

    private static let parse: RPCPeer.Parser = { message in
        try? JSONValue.parse(message, maxDepth: CdevConversation.maximumDepth)
    }

    func begin(on loop: isolated NetworkLoop) {
        handler.hub.attach(channel, transport: .jsonRPC)
    }

    func received(_ message: [UInt8], isText: Bool, on loop: isolated NetworkLoop) {
        guard let principal = handler.principal(of: channel, openedBy: opener) else {
            return handler.close(channel, .unauthorized, on: loop)
        }
        if !isText { handler.binaryChannels.insert(channel) }
        let context = handler.cdevContext(of: principal)
        if handler.context.isSeedCompatible, !session.isOpen,
            let opening = CdevHost.impliedOpening(before: Self.parse(message))
        {
            take(opening, in: context, on: loop)
        }
        take(message, in: context, on: loop)
    }

    private func take(_ message: [UInt8], in context: CdevContext, on loop: isolated NetworkLoop) {
        let output = session.receive(message, in: context)
        if session.speaksCdev { loop.closeQuietly(channel) }
        perform(output)
        if let (filter, transport) = output.subscription {
            handler.tellLive(channel, transport, filter)
            if !knowsPrompts { handler.tellOpenPrompts(channel, transport, filter) }
            knowsPrompts = true
        }
        remind(of: output.reminders)
        for task in output.tasks { start(task) }
    }

    /// The store answers on its own threads. The loop sends the reply.
    private func start(_ task: RPCTask<CdevHost>) {
        let context = handler.context
        let running = Task(executorPreference: context.executor(of: owner)) { [services, owner, channel] in
            let result = await QueryOwner.$current.withValue(owner) { await task.run(with: services) }
            context.loop.post { handler, _ in
                let conversation: CdevConversation? = handler.conversation(on: channel)
                conversation?.finish(task.token, result)
            }
        }
        if task.endsWithConversation { waiting[task.token] = running }
    }

    private func finish(_ token: Int64, _ result: Result<RPCAnswer<CdevHost>, RPCError>) {
        waiting[token] = nil
        let output = session.finish(token, result)
        perform(output)
        let now = handler.context.clock()
        for notice in output.notices { handler.hub.send(notice.frame(at: now), to: channel) }
        remind(of: output.reminders)
    }

    private func perform(_ output: RPCOutput<CdevHost>) {
        handler.hub.perform(output.hubActions, after: output.frames, for: channel)
    }

    func tick(on loop: isolated NetworkLoop) {
        guard !session.isOpen else { return }
        perform(session.tick(now: handler.context.steadyClock()))
    }

    func ended() {
        for task in waiting.values { task.cancel() }
    }

    /// Sends a client of the cdev dialect the dialogs of open prompts. Without this, it would know only those that
    /// opened while it was connected.
    private func remind(of reminders: [CdevReminder]) {
        let device = handler.device(of: channel)
        let sessions = Set(reminders.compactMap { handler.shownSessions.session(of: device, after: $0) })
        guard !sessions.isEmpty else { return }
        let (context, before) = (handler.context, handler.hub.window.head)
        Task(executorPreference: context.executor(of: owner)) { [owner, channel] in
            for session in sessions {
                let open = await QueryOwner.$current.withValue(owner) {
                    await context.prompts.open.requests(of: session)
                }
                guard !open.isEmpty else { continue }
                context.loop.post { handler, _ in
                    let conversation: CdevConversation? = handler.conversation(on: channel)
                    conversation?.show(open, readAfter: before)
                }
            }
        }
    }

    /// - Parameter before: the end of the log before the prompts were read. A prompt that has ended since is not shown,
    ///   because its end was sent already.
    private func show(_ open: [(prompt: Prompt, request: CommittedEvent)], readAfter before: Int64) {
        let hub = handler.hub
        let ended = Set(hub.recentEvents(after: before).flatMap(\.endedPrompts))
        let now = handler.context.clock()
        let shown = open.filter { !ended.contains($0.prompt.id) }
        for (prompt, request) in shown {
            let frames = PromptReminder.frames(of: prompt, askedBy: request, epoch: hub.window.epoch, at: now)
            if !frames.isEmpty { hub.send(frames, to: channel) }
        }
        handler.reached(shown.map(\.prompt.id), on: channel)
    }
}

extension LoopHandler {
    fileprivate func cdevContext(of principal: Principal) -> CdevContext {
        let report = context.heartbeatReport()
        return CdevContext(
            window: window,
            serverVersion: context.version,
            hasAgents: context.agents.links.count > 0,
            abilities: { [links = context.agents.links] in
                var abilities = MachineAbilities()
                for link in links.all { abilities.add(link.may, on: link.machine, for: principal) }
                return abilities
            },
            isHealthy: (try? context.database.writer()) != nil,
            now: context.steadyClock(),
            uptimeSeconds: report.uptimeSeconds,
            connectedClients: context.audience.now.webSockets,
            claudeStatus: report.claudeStatus,
            presence: hub.presence,
            principal: principal
        )
    }
}

extension RPCOutput<CdevHost> {
    fileprivate var subscription: (EventFilter, Transport)? {
        for case .hub(.subscribe(let filter, _, let transport)) in actions { return (filter, transport) }
        return nil
    }

    /// The messages as one piece.
    fileprivate var frames: [UInt8] {
        guard messages.count > 1 else { return messages.first.map(WebSocketFrame.text) ?? [] }
        return messages.reduce(into: []) { $0 += WebSocketFrame.text($1) }
    }
}
