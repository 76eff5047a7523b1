internal import API
internal import Access
internal import EventIngest
internal import EventModel
internal import HTTPModel
internal import Listener
internal import Logging
internal import Notifications
internal import Persistence
internal import Telemetry
internal import Usage
internal import WSFanout

/// Dispatches the network loop's requests to the modules. Loop thread only.
final class LoopHandler: RequestHandler {
    let context: ServerContext
    let decoder: IngestDecoder
    let telemetry: OTLPDecoder
    let hub: Hub<LoopOutput>
    /// Seconds from a commit's return until its events are handed to all sockets that accept them.
    private var fanOutSeconds = Histogram(bounds: ServerMetrics.latencyBounds)
    /// The open WebSockets and event streams.
    var channels: [ChannelID: any Conversation] = [:]
    var gathered = GatheredPosts()
    var publications = PublicationQueue()
    var rows = SessionRowSchedule()
    /// The channels that were opened with a device's token or an API key, and by whom.
    var revocableChannels: [ChannelID: Principal] = [:]
    let binaryChannels = BinaryChannels()
    var shownSessions = ShownSessions()
    /// What agents' sessions are writing.
    var liveTexts: [String: LiveText] = [:]
    /// What the terminals of sessions show, by the sessions' ids in the log.
    var liveScreens: [String: LiveScreen] = [:]
    /// What happens in workspaces that somebody follows.
    var workspaces = LiveWorkspaces()
    /// The channels of connected agents.
    var agentChannels: [ObjectIdentifier: ChannelID] = [:]
    /// Refused connections since the last tick, with the peer and reason of the last one.
    private var turnedAway: (count: Int, peer: String, reason: TurnedAway)?

    init(context: ServerContext, loop: NetworkLoop, window: StreamWindow) {
        self.context = context
        decoder = IngestDecoder(configuration: context.ingest)
        telemetry = OTLPDecoder(configuration: context.ingest)
        let output = LoopOutput(loop: loop, context: context, binary: binaryChannels)
        hub = Hub(window: window, output: output, now: context.steadyClock())
    }

    func admit(_ request: HTTPRequest, bodyLength: Int?, on loop: isolated NetworkLoop) -> Admission {
        if let kind = IngestKind(request) { return admitIngest(request, kind, bodyLength: bodyLength) }
        do throws(APIError) {
            guard bodyLength != 0 else { return .read(limit: 0) }
            let (route, _, principal) = try route(request)
            guard route.access != .open, let principal else { return .read(limit: LoopHandler.maximumOpenBody) }
            if case .machine(let grant) = principal.holder { context.noteReport(of: grant.machine, request) }
            return .read(
                limit: route.maximumBody?(principal) ?? LoopHandler.maximumAPIBody,
                sender: Self.bodySender(principal),
                note: CountedRequest()
            )
        } catch {
            return .refuse(refusal(error, of: request))
        }
    }

    private static func bodySender(_ principal: Principal) -> BodySender {
        switch principal.holder {
        case .machine(let grant): .known("key \(grant.keyID ?? 0)")
        case .device(let claims, _): .known("device \(claims.device)")
        case .apiKey(let key): .known("api key \(key.id)")
        case .admin: .known("operator")
        }
    }

    func handle(_ request: HTTPRequest, exchange: ExchangeID, on loop: isolated NetworkLoop) {
        if let kind = IngestKind(request) {
            handleIngest(request, kind, exchange: exchange, on: loop)
        } else if request.method == .options {
            loop.respond(exchange, preflight(request))
        } else if SocketRoute.at(request.path) != nil {
            loop.respond(exchange, answerAtSocketPath(request))
        } else if isEventStream(request) {
            openEventStream(request, exchange: exchange, on: loop)
        } else {
            handleAPI(request, exchange: exchange, on: loop)
        }
    }

    func notified(on loop: isolated NetworkLoop) {
        for work in context.loop.takeWork() { work(self, loop) }
    }

    func turnEnded(on loop: isolated NetworkLoop) {
        submitGathered(on: loop)
        sendRows(on: loop)
        tendWorkspaces(on: loop)
        switch publications.turnEnded(subscribers: context.audience.subscribers, now: context.steadyClock()) {
        case .nothing: break
        case .publish(let publication): publish(publication)
        case .wait(let seconds): loop.wake(withinMicroseconds: Int64(seconds * 1_000_000))
        }
    }

    func turnedAway(peer: String, _ reason: TurnedAway, on loop: isolated NetworkLoop) {
        context.metrics.update { $0.turnedAway[reason.rawValue, default: 0] += 1 }
        turnedAway = ((turnedAway?.count ?? 0) + 1, peer, reason)
    }

    /// Logs at most one line a second.
    private func reportTurnedAway() {
        guard let (count, peer, reason) = turnedAway else { return }
        turnedAway = nil
        context.logger.warning(
            "connections were turned away",
            metadata: [
                "connections": "\(count)", LogKey.peer: "\(peer)", LogKey.code: "\(reason.rawValue)",
            ]
        )
    }

    func tick(on loop: isolated NetworkLoop) {
        reportTurnedAway()
        tickHolds()
        let now = context.clock()
        hub.tick(now: context.steadyClock(), time: now, report: context.heartbeatReport())
        tickConversations(on: loop)
        tickWorkspaces()
        sweepChannels(now: now, on: loop)
        let figures = AudienceFigures(delivery: hub.metrics, lags: hub.lags(), fanOutSeconds: fanOutSeconds)
        context.audience.keep(figures)
        context.viewers.keep(viewers(now: now), at: now)
    }

    /// The part of the log in which clients can resume here.
    var window: StreamWindow { context.published.extending(hub.window) }

    /// Sends the committed events that are waiting. Call before sending anything that must come after them.
    func publishWaiting() {
        if let publication = publications.flush() { publish(publication) }
    }

    private func publish(_ publication: PublicationQueue.Publication) {
        for batch in publication.batches {
            hub.publish(batch)
            noteRows(of: batch.lazy.map(\.sessionID))
        }
        fanOutSeconds.observe(context.steadyClock().seconds(since: publication.committedAt))
        delivered(publication.opened)
    }

    /// Maximum bytes of an API request body, which is a small object.
    private static let maximumAPIBody = 64 << 10
    /// Maximum bytes of a request body on a route without authentication.
    private static let maximumOpenBody = 4 << 10

    private func handleAPI(_ request: HTTPRequest, exchange: ExchangeID, on loop: isolated NetworkLoop) {
        let found: (route: Route, parameters: [String: String], principal: Principal?)
        do throws(APIError) {
            found = try route(request)
        } catch {
            return loop.respond(exchange, refusal(error, of: request))
        }
        let routeRequest = RouteRequest(http: request, principal: found.principal, parameters: found.parameters)
        do throws(APIError) {
            try found.route.description.check(routeRequest.query)
        } catch {
            let refusal = finish(error.response(requestID: request.requestID), request, route: nil)
            return loop.respond(exchange, context.withRates(refusal, found.principal))
        }
        let owner = QueryOwner(found.principal, peer: request.peerAddress)
        let task = Task(executorPreference: context.executor(of: owner)) { [context, loop] in
            let answer = await QueryOwner.$current.withValue(owner) { await context.answer(found.route, routeRequest) }
            guard var response = answer else { return }
            if let stream = response.stream { response.stream = context.stream(stream, for: owner) }
            response = context.withRates(response, found.principal)
            loop.post { [response] loop in loop.respond(exchange, response) }
        }
        guard let wait = found.route.wait?(routeRequest) else { return }
        loop.wait(for: exchange, seconds: wait.seconds) { [context] end, _ in
            task.cancel()
            guard end == .deadline else { return nil }
            return context.withRates(
                context.finish(wait.overdue, request, route: found.route.path.text),
                found.principal
            )
        }
    }

    /// The route, if it exists and the sender may use it.
    private func route(_ request: HTTPRequest) throws(APIError) -> (Route, [String: String], Principal?) {
        if IngestKind(rawValue: request.path) != nil { throw .methodNotAllowed([.post]) }
        switch context.router.match(request.method, request.path) {
        case .route(let route, let parameters):
            return (route, parameters, try context.authorize(request, for: route, parameters))
        case .methodNotAllowed(let allowed):
            throw .methodNotAllowed(allowed)
        case .notFound:
            throw AbsentModels.notFound(request.path)
        }
    }

    /// - Parameter route: the path in the metrics.
    func refusal(_ error: APIError, of request: HTTPRequest, route: String? = nil) -> HTTPResponse {
        let response = finish(error.response(requestID: request.requestID), request, route: route)
        return context.withRates(response, answering: request)
    }

    func finish(_ response: HTTPResponse, _ request: HTTPRequest, route: String?) -> HTTPResponse {
        context.finish(response, request, route: route)
    }
}

extension QueryOwner {
    /// - Parameter principal: `nil` if the request carries no credential; the queries then belong to its peer.
    init(_ principal: Principal?, peer: String) {
        self = .sender(principal?.auditName ?? "peer:\(peer)")
    }
}
