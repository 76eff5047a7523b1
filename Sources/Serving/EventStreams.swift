internal import API
internal import Access
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
            _ = try context.authorizationGuard.authorize(request, for: LoopHandler.streamCapability)
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
        Task(executorPreference: context.executor(of: .server)) { [context, loop] in
            let machine = await context.machineFilter(query)
            loop.post { loop in
                guard let handler = loop.handler as? LoopHandler else { return }
                switch machine {
                case .success(let machine):
                    handler.startEventStream(request, machine: machine, exchange: exchange, on: loop)
                case .failure(let error):
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
        loop.respond(exchange, finish(error.response(requestID: request.requestID), request, route: "stream"))
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
        guard let channel = loop.openStream(exchange, finish(head, request, route: "stream")) else { return }
        guard admitChannel(channel, of: request, on: loop) != nil else { return }
        channels[channel] = .eventStream
        context.audience.add(eventStreams: 1)
        var filter = LoopHandler.filter(query, path: request.path)
        filter.machine = machine
        hub.subscribe(channel, transport: .serverSentEvents, filter: filter, after: start.position)
        tellOpenPrompts(channel, .serverSentEvents, filter, on: loop)
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

extension ServerContext {
    fileprivate func machineFilter(_ query: QueryParameters) async -> Result<MachineFilter?, APIError> {
        do throws(APIError) {
            return .success(try await database.machineFilter(query))
        } catch {
            return .failure(error)
        }
    }
}
