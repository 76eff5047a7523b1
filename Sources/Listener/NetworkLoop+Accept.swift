internal import HTTPModel
internal import Logging

extension NetworkLoop {
    /// Maximum number of connections accepted at once, so that open connections get their turn.
    private static let burst = 64

    func acceptBurst(_ listenerID: UInt64) {
        guard let listener = listeners[listenerID], !isStopping else { return }
        for _ in 0..<Self.burst {
            switch listener.socket.accept() {
            case .connection(let descriptor, let peer):
                receive(descriptor, peer: peer, isLocal: listener.socket.isLocal)
            case .nothing:
                return
            case .exhausted:
                restAccepting()
                return
            }
        }
    }

    private func receive(_ descriptor: Int32, peer: String, isLocal: Bool) {
        let isProxy = isTrustedProxy(peer, isLocal: isLocal)
        guard isProxy, configuration.usesProxyProtocol, let context, !isStopping, hasRoom else {
            let isCounted = !isLocal && !isProxy && IPAddress(peer)?.isLoopback != true
            let source = PeerSource(peer: peer, isLocal: isLocal, isProxy: isProxy, isCounted: isCounted)
            return admit(descriptor, from: source)
        }
        awaitProxyHeader(descriptor, proxy: peer, in: context)
    }

    private var hasRoom: Bool { connections.count + proxyHandshakes.count < connectionLimit }

    func admit(_ descriptor: Int32, from source: PeerSource) {
        let (peer, isLocal) = (source.peer, source.isLocal)
        guard let context, !isStopping else { return turnAway(descriptor, peer: peer, isLocal: isLocal, .stopping) }
        guard hasRoom else { return turnAway(descriptor, peer: peer, isLocal: isLocal, .tooMany) }
        guard !source.isCounted || peers.add(peer) else {
            return turnAway(descriptor, peer: peer, isLocal: isLocal, .tooManyOfPeer)
        }
        let connection = Connection(id: newID(), source: source)
        // Added before the library adopts it, because its callbacks may come at once.
        connections[connection.id] = connection
        let secure = context.isSecure && !isLocal
        guard let lws = context.adopt(socket: descriptor, id: connection.id, secure: secure) else {
            forget(connection.id)
            return
        }
        guard connections[connection.id] != nil else { return }
        connection.lws = lws
        if case .idle = connection.mode, connection.deadline == .max {
            connection.hasHeadDeadline = true
            setDeadline(second + configuration.headerSeconds, of: connection)
        }
    }

    /// Takes ownership of the descriptor and closes it.
    func turnAway(_ descriptor: Int32, peer: String, isLocal: Bool, _ reason: TurnedAway) {
        ConnectionLimit.turnAway(descriptor, speaksPlain: isLocal || context?.isSecure != true)
        handler.turnedAway(peer: peer, reason, on: self)
    }

    /// Descriptors are exhausted. The connection stays in the kernel's queue; an immediate retry would only spin.
    private func restAccepting() {
        guard !acceptRests else { return }
        acceptRests = true
        for listener in listeners.values { listener.lws.setReading(false) }
        logger.warning("out of file descriptors; accepting rests for a moment")
    }

    func resumeAccepting() {
        guard acceptRests, !isStopping else { return }
        acceptRests = false
        for listener in listeners.values { listener.lws.setReading(true) }
    }

    /// The library has closed the connection.
    func forget(_ id: UInt64) {
        if listeners.removeValue(forKey: id) != nil { return }
        guard let connection = connections.removeValue(forKey: id) else { return }
        connection.lws = nil
        unreadConnections.remove(id)
        if connection.source.isCounted { peers.remove(connection.peer) }
        let mode = connection.mode
        connection.mode = .ending
        switch mode {
        case .waiting(let exchange):
            exchanges[exchange.id] = nil
            endWait(of: exchange, .clientGone)
        case .channel(let channel):
            channels[channel.id] = nil
            pings.remove(channel.id)
            reportClosed(channel)
        default:
            break
        }
        finishIfEmpty()
    }
}
