internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Listener
internal import Persistence
internal import WSFanout

extension SocketRoute {
    /// One session's events as plain objects, what they say of the conversation, and messages to the session.
    static let session = SocketRoute("/v1/ws") { route in
        route
            .saying(
                "One session's events over WebSocket, and messages to the session.",
                [.text("session_id", "The session."), .since],
                faults: [426]
            )
            .answering(101, "application/json", "Event")
    } check: { request throws(APIError) in
        guard QueryParameters(request.query)["session_id"] == nil else { return }
        throw .invalid("missing_parameter", "Name the session: ?session_id=...", param: "session_id")
    } converse: { socket in
        SessionSocket(socket)
    }
}

private final class SessionSocket: Conversation {
    private unowned let handler: LoopHandler
    private let channel: ChannelID
    private let opener: Principal
    private let request: HTTPRequest
    private let sessionID: String
    private let since: String?
    private var messages = SocketMessages()

    init(_ socket: OpenSocket) {
        (handler, channel, opener, request) = (socket.handler, socket.channel, socket.principal, socket.request)
        let query = QueryParameters(socket.request.query)
        (sessionID, since) = (query["session_id"] ?? "", query["since"])
    }

    func begin(on loop: isolated NetworkLoop) {
        let filter = EventFilter(sessionID: sessionID)
        let start = handler.window.resolve(ServerSentEvents.resumePoint(lastEventID: since))
        handler.hub.attach(channel, transport: .plainWebSocket)
        if !start.recovered { handler.hub.send(StreamReset(start).frame, to: channel) }
        handler.hub.subscribe(channel, transport: .plainWebSocket, filter: filter, after: start.position)
        handler.tellOpenPrompts(channel, .plainWebSocket, filter)
        handler.tellLive(channel, .plainWebSocket, filter)
    }

    func received(_ message: [UInt8], isText: Bool, on loop: isolated NetworkLoop) {
        // The channel of a sender that has lost its rights is being closed.
        guard let principal = handler.principal(of: channel, openedBy: opener) else { return }
        do throws(SocketError) {
            let message = try SocketMessage(message, isText: isText)
            do throws(APIError) {
                try handler.context.authorizationGuard.countMessage(of: principal)
            } catch {
                throw SocketError(error, id: message.id)
            }
            if let due = try messages.add(message) { send(due) }
        } catch {
            tell(error)
        }
    }

    private func tell(_ error: SocketError) {
        handler.hub.send(WebSocketFrame.text(error.frame), to: channel)
    }

    /// Sends with the rights that the sender has now.
    private func send(_ message: SocketMessage) {
        guard let principal = handler.principal(of: channel, openedBy: opener) else { return }
        let (context, channel, request, sessionID) = (handler.context, channel, request, sessionID)
        let owner = QueryOwner(principal, peer: request.peerAddress)
        Task(executorPreference: context.executor(of: owner)) {
            let error = await QueryOwner.$current.withValue(owner) {
                await context.send(message, to: sessionID, by: principal, of: request)
            }
            context.loop.post { handler, _ in
                let socket: SessionSocket? = handler.conversation(on: channel)
                socket?.answered(error.map { SocketError($0, id: message.id) })
            }
        }
    }

    private func answered(_ error: SocketError?) {
        if let error { tell(error) }
        if let next = messages.next() { send(next) }
    }
}

extension ServerContext {
    /// Does what the same message does over HTTP, by the same routes.
    ///
    /// - Parameter origin: the request that opened the socket.
    fileprivate func send(
        _ message: SocketMessage,
        to sessionID: String,
        by principal: Principal,
        of origin: HTTPRequest
    ) async -> APIError? {
        if let model = message.model {
            var writer = JSONWriter()
            writer.value(.object([("model", .string(model))]))
            if let error = await error(.patch, "/v1/sessions/{id}", writer.bytes, sessionID, principal, origin) {
                return error
            }
        }
        return await error(.post, "/v1/sessions/{id}/input", message.body, sessionID, principal, origin)
    }

    /// - Parameter path: with `{id}` in place of the session's id.
    private func error(
        _ method: HTTPMethod,
        _ path: String,
        _ body: [UInt8],
        _ sessionID: String,
        _ principal: Principal,
        _ origin: HTTPRequest
    ) async -> APIError? {
        guard case .route(let route, _) = router.match(method, path), let capability = route.access.always else {
            return .notFound("not_found", "There is no such route.")
        }
        guard principal.may(capability) else { return .insufficientScope(principal.lacking(capability)) }
        var request = HTTPRequest(method: method, path: path, body: body, requestID: origin.requestID)
        request.peerAddress = origin.peerAddress
        let asked = RouteRequest(http: request, principal: principal, parameters: ["id": sessionID])
        guard let response = await answer(route, asked), response.status >= 400 else { return nil }
        return APIError(of: response)
    }
}

extension APIError {
    /// The error that an answer reports.
    fileprivate init(of response: HTTPResponse) {
        let error = (try? JSONValue.parse(response.body))?["error"]
        self.init(
            error?["type"]?.string.flatMap(Kind.init(rawValue:)) ?? .internalError,
            status: response.status,
            code: error?["code"]?.string ?? "failed",
            message: error?["message"]?.string ?? "",
            param: error?["param"]?.string.map { $0 == "text" ? "content" : $0 }
        )
    }
}
