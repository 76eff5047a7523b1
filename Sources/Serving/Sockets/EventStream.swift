internal import API
internal import EventModel
internal import HTTPModel
internal import Listener
internal import Persistence
internal import WSFanout

/// Server-sent events on `GET /v1/events` and on the path of a session.
extension LoopHandler {
    func isEventStream(_ request: HTTPRequest) -> Bool {
        guard request.method == .get, LoopHandler.streamSession(request.path) != nil else { return false }
        return request.headers["accept"]?.contains("text/event-stream") == true
    }

    func openEventStream(_ request: HTTPRequest, exchange: ExchangeID, on loop: isolated NetworkLoop) {
        do throws(APIError) {
            _ = try context.authorizationGuard.authorize(request, for: .read)
            if case .route(let route, _) = context.router.match(request.method, request.path) {
                try route.description.check(QueryParameters(request.query), isStream: true)
            }
            try requireLog()
        } catch {
            return refuseEventStream(error, request, exchange: exchange, on: loop)
        }
        let query = QueryParameters(request.query)
        guard query.machineName != nil else {
            return startEventStream(request, machine: nil, exchange: exchange, on: loop)
        }
        Task(executorPreference: context.executor(of: .server)) { [context] in
            do throws(APIError) {
                let machine = try await context.database.machineFilter(query)
                context.loop.post { handler, loop in
                    handler.startEventStream(request, machine: machine, exchange: exchange, on: loop)
                }
            } catch {
                context.loop.post { handler, loop in
                    handler.refuseEventStream(error, request, exchange: exchange, on: loop)
                }
            }
        }
    }

    private func refuseEventStream(
        _ error: APIError,
        _ request: HTTPRequest,
        exchange: ExchangeID,
        on loop: isolated NetworkLoop
    ) {
        loop.respond(exchange, refusal(error, of: request, route: "stream"))
    }

    private func startEventStream(
        _ request: HTTPRequest,
        machine: MachineFilter?,
        exchange: ExchangeID,
        on loop: isolated NetworkLoop
    ) {
        let query = QueryParameters(request.query)
        let point = ServerSentEvents.resumePoint(lastEventID: request.headers["last-event-id"] ?? query["since"])
        let start = window.resolve(point)
        let head = HTTPResponse(
            status: 200,
            headers: [("content-type", "text/event-stream; charset=utf-8"), ("x-accel-buffering", "no")],
            body: ServerSentEvents.opening(start)
        )
        let response = context.withRates(finish(head, request, route: "stream"), answering: request)
        guard let channel = loop.openStream(exchange, response) else { return }
        guard admitChannel(channel, of: request, for: .read, on: loop) != nil else { return }
        var filter = LoopHandler.filter(query, path: request.path)
        filter.machine = machine
        let stream = EventStream(handler: self, channel: channel, filter: filter, position: start.position)
        begin(stream, on: channel, loop)
    }

    /// The session in a stream's path: an empty string for all sessions, `nil` if the path is not a stream.
    private static func streamSession(_ path: String) -> String? {
        if path == "/v1/events" { return "" }
        let parts = path.split(separator: "/")
        guard parts.count == 4, parts[0] == "v1", parts[1] == "sessions", parts[3] == "events" else { return nil }
        return PercentEncoding.decode(parts[2])
    }

    private static func filter(_ query: QueryParameters, path: String) -> EventFilter {
        let session = streamSession(path) ?? ""
        let types = Set((query.list("type") + query.list("types")).map(EventType.init(sent:)))
        return EventFilter(
            workspaceID: query["workspace_id"] ?? query["project_id"],
            sessionID: session.isEmpty ? query["session_id"] : session,
            types: types.isEmpty ? nil : types
        )
    }
}

private final class EventStream: Conversation {
    private unowned let handler: LoopHandler
    private let channel: ChannelID
    private let filter: EventFilter
    private let position: StreamPosition

    var isEventStream: Bool { true }

    init(handler: LoopHandler, channel: ChannelID, filter: EventFilter, position: StreamPosition) {
        (self.handler, self.channel, self.filter, self.position) = (handler, channel, filter, position)
    }

    func begin(on loop: isolated NetworkLoop) {
        handler.hub.subscribe(channel, transport: .serverSentEvents, filter: filter, after: position)
        handler.tellOpenPrompts(channel, .serverSentEvents, filter)
        handler.tellLive(channel, .serverSentEvents, filter)
    }
}
