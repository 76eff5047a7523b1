internal import API
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Listener
internal import WSFanout

extension SocketRoute {
    /// One session's events as plain objects. Messages from the client are ignored.
    static let session = SocketRoute("/v1/ws") { route in
        route
            .saying(
                "One session's events over WebSocket.",
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
    private let filter: EventFilter
    private let since: String?

    init(_ socket: OpenSocket) {
        (handler, channel) = (socket.handler, socket.channel)
        let query = QueryParameters(socket.request.query)
        (filter, since) = (EventFilter(sessionID: query["session_id"]), query["since"])
    }

    func begin(on loop: isolated NetworkLoop) {
        let start = handler.window.resolve(ServerSentEvents.resumePoint(lastEventID: since))
        handler.hub.attach(channel, transport: .plainWebSocket)
        if !start.recovered { handler.hub.send(StreamReset(start).frame, to: channel) }
        handler.hub.subscribe(channel, transport: .plainWebSocket, filter: filter, after: start.position)
        handler.tellOpenPrompts(channel, .plainWebSocket, filter)
        handler.tellLive(channel, .plainWebSocket, filter)
    }
}
