internal import Access
internal import EventModel
internal import HTTPModel
internal import JSON
internal import Listener
internal import WSFanout

/// WebSockets on `/ws`: JSON-RPC 2.0, and events as notifications.
extension LoopHandler {
    static let socketPath = "/ws"

    func upgrade(_ request: HTTPRequest, on loop: isolated NetworkLoop) -> UpgradeDecision {
        do throws(APIError) {
            guard request.path == LoopHandler.socketPath else {
                throw .notFound("not_found", "There is no WebSocket at this path; it is at \(LoopHandler.socketPath).")
            }
            try context.authorize(request, for: Scope.read)
            _ = try context.database.reader()
            return .accept
        } catch {
            return .refuse(finish(error.response(requestID: request.requestID), request, route: LoopHandler.socketPath))
        }
    }

    func opened(_ link: LinkID, request: HTTPRequest, on loop: isolated NetworkLoop) {
        var random = SystemRandomNumberGenerator()
        let now = context.clock()
        let clientID = EventID.version7(at: now, using: &random).description
        links[link] = .webSocket(RPCConversation(clientID: clientID, openedAt: now))
        context.audience.add(webSockets: 1)
        hub.attach(link, transport: .jsonRPC)
    }

    func received(_ message: [UInt8], isText: Bool, from link: LinkID, on loop: isolated NetworkLoop) {
        guard case .webSocket(let conversation)? = links[link] else { return }
        let rpc = RPCContext(
            window: hub.window,
            serverVersion: ServerVersion.text,
            isHealthy: (try? context.database.writer()) != nil
        )
        hub.perform(conversation.session.receive(message, in: rpc), for: link)
    }

    func drained(_ link: LinkID, on loop: isolated NetworkLoop) {
        hub.drained(link)
    }

    func closed(_ link: LinkID, on loop: isolated NetworkLoop) {
        hub.remove(link)
        switch links.removeValue(forKey: link) {
        case .webSocket: context.audience.add(webSockets: -1)
        case .eventStream: context.audience.add(eventStreams: -1)
        case nil: break
        }
    }

    func tickConversations(now: Timestamp) {
        for case (let link, .webSocket(let conversation)) in links where !conversation.session.isInitialized {
            hub.perform(conversation.session.tick(now: now), for: link)
        }
    }
}

/// One socket's conversation; a reference, so that it is changed in place.
final class RPCConversation {
    var session: RPCSession

    init(clientID: String, openedAt: Timestamp) {
        session = RPCSession(clientID: clientID, openedAt: openedAt) { message in
            try? JSONValue.parse(message, maxDepth: RPCConversation.maximumDepth)
        }
    }

    private static let maximumDepth = 32
}
