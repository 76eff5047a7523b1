internal import API
internal import HTTPModel
internal import Listener
internal import WSFanout

/// Opens the conversations, and passes on what concerns them.
extension LoopHandler {
    func upgrade(_ request: HTTPRequest, on loop: isolated NetworkLoop) -> UpgradeDecision {
        let request = asked(request)
        do throws(APIError) {
            guard let route = SocketRoute.at(request.path) else {
                throw .notFound("not_found", "There is no WebSocket at this path; it is at \(SocketRoute.cdev.path).")
            }
            _ = try context.authorizationGuard.authorizeSocket(request, for: route.capability)
            if !request.query.isEmpty { try route.description.check(QueryParameters(request.query)) }
            try route.check(request)
            try requireLog()
            try context.authorizationGuard.redeemTicket(in: request)
            return .accept
        } catch {
            return .refuse(refusal(error, of: request, route: SocketRoute.cdev.path))
        }
    }

    /// The request as the credential of its URL makes it, where that is allowed.
    private func asked(_ request: HTTPRequest) -> HTTPRequest {
        let isClients = request.path == SocketRoute.cdev.path || request.path == SocketRoute.session.path
        return context.isSeedCompatible && isClients ? request.withKeyFromURL() : request
    }

    /// Throws 503 until the hub knows the end of the log: before that, it cannot check a position.
    func requireLog() throws(APIError) {
        _ = try context.database.store()
        guard !hub.window.epoch.isEmpty else { throw .databaseUnavailable(retryAfter: 1) }
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
        return refusal(error, of: request, route: SocketRoute.cdev.path)
    }

    func opened(_ channel: ChannelID, request: HTTPRequest, on loop: isolated NetworkLoop) {
        let request = asked(request)
        guard let route = SocketRoute.at(request.path),
            let principal = admitChannel(channel, of: request, for: route.capability, on: loop)
        else { return }
        let socket = OpenSocket(handler: self, channel: channel, principal: principal, request: request)
        begin(route.converse(socket), on: channel, loop)
    }

    func begin(_ conversation: any Conversation, on channel: ChannelID, _ loop: isolated NetworkLoop) {
        channels[channel] = conversation
        count(conversation, 1)
        conversation.begin(on: loop)
    }

    private func count(_ conversation: any Conversation, _ change: Int) {
        if conversation.isEventStream {
            context.audience.add(eventStreams: change)
        } else {
            context.audience.add(webSockets: change)
        }
    }

    /// The conversation on the channel, if it still takes place and is of this kind.
    func conversation<Kind: Conversation>(on channel: ChannelID) -> Kind? { channels[channel] as? Kind }

    func received(_ message: [UInt8], isText: Bool, from channel: ChannelID, on loop: isolated NetworkLoop) {
        channels[channel]?.received(message, isText: isText, on: loop)
    }

    func drained(_ channel: ChannelID, on loop: isolated NetworkLoop) {
        hub.drained(channel)
        hub.sendMissed(to: channel, whole: whole(of:))
        hub.sendMissed(to: channel) { missed($1, of: $0) }
    }

    func closed(_ channel: ChannelID, on loop: isolated NetworkLoop) {
        hub.remove(channel)
        revocableChannels[channel] = nil
        binaryChannels.remove(channel)
        guard let conversation = channels.removeValue(forKey: channel) else { return }
        count(conversation, -1)
        conversation.ended()
    }

    func tickConversations(on loop: isolated NetworkLoop) {
        for conversation in channels.values { conversation.tick(on: loop) }
    }
}
