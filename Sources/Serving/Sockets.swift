internal import Access
internal import CdevDialect
internal import ClientAPI
internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Listener
internal import Persistence
internal import RPC
internal import WSFanout

/// WebSockets on `/ws`: JSON-RPC 2.0, and events as notifications.
extension LoopHandler {
    static let socketPath = "/ws"
    /// One session's events as plain objects. Messages from the client are ignored.
    static let sessionSocketPath = "/v1/ws"

    func upgrade(_ request: HTTPRequest, on loop: isolated NetworkLoop) -> UpgradeDecision {
        do throws(APIError) {
            guard LoopHandler.isSocketPath(request.path) else {
                throw .notFound("not_found", "There is no WebSocket at this path; it is at \(LoopHandler.socketPath).")
            }
            _ = try context.authorizationGuard.authorizeSocket(request, for: LoopHandler.streamCapability)
            try LoopHandler.checkParameters(of: request)
            if request.path == LoopHandler.sessionSocketPath, QueryParameters(request.query)["session_id"] == nil {
                throw .invalid("missing_parameter", "Name the session: ?session_id=...", param: "session_id")
            }
            try requireLog()
            try context.authorizationGuard.redeemTicket(in: request)
            return .accept
        } catch {
            return .refuse(finish(error.response(requestID: request.requestID), request, route: LoopHandler.socketPath))
        }
    }

    /// Throws 503 until the hub knows the end of the log: before that, it cannot check a position.
    func requireLog() throws(APIError) {
        _ = try context.database.store()
        guard !hub.window.epoch.isEmpty else { throw .databaseUnavailable(retryAfter: 1) }
    }

    static func isSocketPath(_ path: String) -> Bool {
        path == socketPath || path == sessionSocketPath
    }

    /// Answers a plain request on a WebSocket path (RFC 9110 section 15.5.22), that is, one without an upgrade.
    func answerAtSocketPath(_ request: HTTPRequest) -> HTTPResponse {
        let upgradeRequired = APIError(
            .invalidRequest,
            status: 426,
            code: "upgrade_required",
            message: "This path speaks WebSocket."
        )
        let error = request.method == .get || request.method == .head ? upgradeRequired : .methodNotAllowed([.get])
        return finish(error.response(requestID: request.requestID), request, route: LoopHandler.socketPath)
    }

    func opened(_ channel: ChannelID, request: HTTPRequest, on loop: isolated NetworkLoop) {
        guard let principal = admitChannel(channel, of: request, on: loop) else { return }
        context.audience.add(webSockets: 1)
        if request.path == LoopHandler.sessionSocketPath {
            openSessionSocket(channel, QueryParameters(request.query), on: loop)
        } else {
            openConversation(channel, of: principal, origin: request)
        }
    }

    private func openSessionSocket(_ channel: ChannelID, _ query: QueryParameters, on loop: NetworkLoop) {
        channels[channel] = .sessionSocket
        let start = window.resolve(ServerSentEvents.resumePoint(lastEventID: query["since"]))
        hub.attach(channel, transport: .plainWebSocket)
        if !start.recovered { hub.send(StreamReset(start).frame, to: channel) }
        let filter = EventFilter(sessionID: query["session_id"])
        hub.subscribe(channel, transport: .plainWebSocket, filter: filter, after: start.position)
        tellOpenPrompts(channel, .plainWebSocket, filter, on: loop)
    }

    private func openConversation(_ channel: ChannelID, of principal: Principal, origin request: HTTPRequest) {
        var random = SystemRandomNumberGenerator()
        let clientID = EventID.version7(at: context.clock(), using: &random).description
        let conversation = RPCConversation(
            clientID: clientID,
            openedAt: context.steadyClock(),
            opener: principal,
            origin: Caller(request, principal)
        )
        channels[channel] = .webSocket(conversation)
        hub.attach(channel, transport: .jsonRPC)
    }

    func received(_ message: [UInt8], isText: Bool, from channel: ChannelID, on loop: isolated NetworkLoop) {
        guard case .webSocket(let conversation)? = channels[channel] else { return }
        guard let principal = principal(of: channel, openedBy: conversation.opener) else {
            return close(channel, .unauthorized, on: loop)
        }
        if !isText { binaryChannels.insert(channel) }
        let report = context.heartbeatReport()
        let rpc = CdevContext(
            window: window,
            serverVersion: context.version,
            isHealthy: (try? context.database.writer()) != nil,
            now: context.steadyClock(),
            uptimeSeconds: report.uptimeSeconds,
            connectedClients: context.audience.now.webSockets,
            claudeStatus: report.claudeStatus,
            presence: hub.presence,
            principal: principal
        )
        let output = conversation.session.receive(message, in: rpc)
        if conversation.session.speaksCdev { loop.closeQuietly(channel) }
        perform(output, for: channel)
        if !conversation.knowsPrompts, let (filter, transport) = output.subscription {
            conversation.knowsPrompts = true
            tellOpenPrompts(channel, transport, filter, on: loop)
        }
        remind(channel, of: output.reminders, on: loop)
        for task in output.tasks { start(task, of: channel, conversation.origin, on: loop) }
    }

    /// The store answers on its own threads. The loop sends the reply.
    private func start(_ task: RPCTask<CdevHost>, of channel: ChannelID, _ origin: Caller, on loop: NetworkLoop) {
        let owner = QueryOwner(origin.principal, peer: origin.peer)
        let running = Task(executorPreference: context.executor(of: owner)) { [context, loop] in
            let services = context.cdevServices(origin)
            let result = await QueryOwner.$current.withValue(owner) { await task.run(with: services) }
            loop.post { loop in (loop.handler as? LoopHandler)?.finish(task.token, result, of: channel, on: loop) }
        }
        guard task.endsWithConversation, case .webSocket(let conversation)? = channels[channel] else { return }
        conversation.waiting[task.token] = running
    }

    private func finish(
        _ token: Int64,
        _ result: Result<RPCAnswer<CdevHost>, RPCError>,
        of channel: ChannelID,
        on loop: NetworkLoop
    ) {
        guard case .webSocket(let conversation)? = channels[channel] else { return }
        conversation.waiting[token] = nil
        let output = conversation.session.finish(token, result)
        perform(output, for: channel)
        remind(channel, of: output.reminders, on: loop)
    }

    private func perform(_ output: RPCOutput<CdevHost>, for channel: ChannelID) {
        hub.perform(output.hubActions, after: output.frames, for: channel)
    }

    func drained(_ channel: ChannelID, on loop: isolated NetworkLoop) {
        hub.drained(channel)
    }

    func closed(_ channel: ChannelID, on loop: isolated NetworkLoop) {
        hub.remove(channel)
        deviceChannels[channel] = nil
        binaryChannels.remove(channel)
        switch channels.removeValue(forKey: channel) {
        case .webSocket(let conversation):
            for task in conversation.waiting.values { task.cancel() }
            context.audience.add(webSockets: -1)
        case .sessionSocket: context.audience.add(webSockets: -1)
        case .eventStream: context.audience.add(eventStreams: -1)
        case nil: break
        }
    }

    func tickConversations() {
        let now = context.steadyClock()
        for case (let channel, .webSocket(let conversation)) in channels where !conversation.session.isOpen {
            perform(conversation.session.tick(now: now), for: channel)
        }
    }
}

/// The conversation on one socket. A class, so that it can be changed in place.
final class RPCConversation {
    var session: RPCSession<CdevHost>
    /// Whether the client was told, after its first subscription, which prompts wait for a person.
    var knowsPrompts = false
    /// Tasks that end with the socket, by their tokens.
    var waiting: [Int64: Task<Void, Never>] = [:]
    /// The principal that opened the socket, with its rights at that time.
    let opener: Principal
    /// The request that opened the socket.
    let origin: Caller

    init(clientID: String, openedAt: Timestamp, opener: Principal, origin: Caller) {
        (self.opener, self.origin) = (opener, origin)
        session = CdevHost.session(clientID: clientID, openedAt: openedAt) { message in
            try? JSONValue.parse(message, maxDepth: RPCConversation.maximumDepth)
        }
    }

    private static let maximumDepth = 32
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
