internal import Access
internal import CdevDialect
internal import ClientAPI
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Listener
internal import RPC
internal import WSFanout

/// WebSockets on `/ws`: JSON-RPC 2.0, and events as notifications.
extension LoopHandler {
    static let socketPath = "/ws"
    /// One session's events as plain objects; nothing is read from the client.
    static let sessionSocketPath = "/v1/ws"

    func upgrade(_ request: HTTPRequest, on loop: isolated NetworkLoop) -> UpgradeDecision {
        do throws(APIError) {
            guard LoopHandler.isSocketPath(request.path) else {
                throw .notFound("not_found", "There is no WebSocket at this path; it is at \(LoopHandler.socketPath).")
            }
            _ = try context.doorkeeper.authorizeSocket(request, for: LoopHandler.streamCapability)
            if request.path == LoopHandler.sessionSocketPath, QueryParameters(request.query)["session_id"] == nil {
                throw .invalid("missing_parameter", "Name the session: ?session_id=...", param: "session_id")
            }
            try requireLog()
            try context.doorkeeper.redeemTicket(in: request)
            return .accept
        } catch {
            return .refuse(finish(error.response(requestID: request.requestID), request, route: LoopHandler.socketPath))
        }
    }

    /// 503 until the hub knows where the log ends: a place in it could not be judged before.
    func requireLog() throws(APIError) {
        _ = try context.database.store()
        guard !hub.window.epoch.isEmpty else { throw Database.away(retryAfter: 1) }
    }

    static func isSocketPath(_ path: String) -> Bool {
        path == socketPath || path == sessionSocketPath
    }

    /// A plain request where a WebSocket is offered (RFC 9110 section 15.5.22).
    /// To a request that asks for no upgrade.
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

    func opened(_ link: LinkID, request: HTTPRequest, on loop: isolated NetworkLoop) {
        guard let principal = admitLink(link, of: request, on: loop) else { return }
        context.audience.add(webSockets: 1)
        if request.path == LoopHandler.sessionSocketPath {
            openSessionSocket(link, QueryParameters(request.query))
        } else {
            openConversation(link, of: principal, origin: request)
        }
    }

    private func openSessionSocket(_ link: LinkID, _ query: QueryParameters) {
        links[link] = .sessionSocket
        let start = window.resolve(ServerSentEvents.resumePoint(lastEventID: query["since"]))
        hub.attach(link, transport: .plainWebSocket)
        if !start.recovered { hub.send(StreamReset(start).frame, to: link) }
        hub.subscribe(
            link,
            transport: .plainWebSocket,
            filter: EventFilter(sessionID: query["session_id"]),
            after: start.position
        )
    }

    private func openConversation(_ link: LinkID, of principal: Principal, origin request: HTTPRequest) {
        var random = SystemRandomNumberGenerator()
        let clientID = EventID.version7(at: context.clock(), using: &random).description
        let conversation = RPCConversation(
            clientID: clientID,
            openedAt: context.steadyClock(),
            opener: principal,
            origin: Caller(request, principal)
        )
        links[link] = .webSocket(conversation)
        hub.attach(link, transport: .jsonRPC)
    }

    func received(_ message: [UInt8], isText: Bool, from link: LinkID, on loop: isolated NetworkLoop) {
        guard case .webSocket(let conversation)? = links[link] else { return }
        guard let principal = principal(of: link, openedBy: conversation.opener) else {
            return close(link, .unauthorized, on: loop)
        }
        if !isText { binaryLinks.insert(link) }
        let report = context.heartbeatReport()
        let rpc = RPCContext(
            window: window,
            serverVersion: ServerVersion.text,
            isHealthy: (try? context.database.writer()) != nil,
            now: context.steadyClock(),
            uptimeSeconds: report.uptimeSeconds,
            connectedClients: context.audience.now.webSockets,
            claudeStatus: report.claudeStatus,
            presence: hub.presence,
            principal: principal
        )
        let output = conversation.session.receive(message, in: rpc)
        perform(output, for: link)
        for task in output.tasks { start(task, of: link, conversation.origin, on: loop) }
    }

    /// The store answers on threads of its own; the reply leaves from the loop.
    private func start(_ task: RPCTask, of link: LinkID, _ origin: Caller, on loop: NetworkLoop) {
        Task(executorPreference: context.taskThreads) { [context, loop] in
            let store = RPCStoreAdapter(database: context.database, desk: context.pushDesk, origin: origin)
            let result = await task.run(on: store, clock: context.clock)
            loop.post { loop in (loop.handler as? LoopHandler)?.finish(task.token, result, of: link) }
        }
    }

    private func finish(_ token: Int64, _ result: Result<RPCResult, RPCError>, of link: LinkID) {
        guard case .webSocket(let conversation)? = links[link] else { return }
        perform(conversation.session.finish(token, result), for: link)
    }

    private func perform(_ output: RPCOutput, for link: LinkID) {
        hub.perform(output.actions, after: output.reply, for: link)
    }

    func drained(_ link: LinkID, on loop: isolated NetworkLoop) {
        hub.drained(link)
    }

    func closed(_ link: LinkID, on loop: isolated NetworkLoop) {
        hub.remove(link)
        deviceLinks[link] = nil
        binaryLinks.remove(link)
        switch links.removeValue(forKey: link) {
        case .webSocket, .sessionSocket: context.audience.add(webSockets: -1)
        case .eventStream: context.audience.add(eventStreams: -1)
        case nil: break
        }
    }

    func tickConversations() {
        let now = context.steadyClock()
        for case (let link, .webSocket(let conversation)) in links where !conversation.session.isInitialized {
            perform(conversation.session.tick(now: now), for: link)
        }
    }
}

/// One socket's conversation; a reference, so that it is changed in place.
final class RPCConversation {
    var session: RPCSession
    /// As it counted when the socket was opened.
    let opener: Principal
    /// The request that opened it.
    let origin: Caller

    init(clientID: String, openedAt: Timestamp, opener: Principal, origin: Caller) {
        (self.opener, self.origin) = (opener, origin)
        session = RPCSession(clientID: clientID, openedAt: openedAt) { message in
            try? JSONValue.parse(message, maxDepth: RPCConversation.maximumDepth)
        }
    }

    private static let maximumDepth = 32
}
