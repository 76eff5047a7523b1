internal import Logging

extension NetworkLoop {
    /// So many at a time, so that the connections that are open get their turn.
    private static let burst = 64

    func acceptBurst(_ listenerID: UInt64) {
        guard let listener = listeners[listenerID], !isStopping else { return }
        for _ in 0..<Self.burst {
            switch listener.socket.accept() {
            case .connection(let descriptor, let peer):
                deal(descriptor, peer: peer, isLocal: listener.socket.isLocal)
            case .nothing:
                return
            case .exhausted:
                restAccepting()
                return
            }
        }
    }

    private func deal(_ descriptor: Int32, peer: String, isLocal: Bool) {
        turnToTake = turnToTake < mates.count ? turnToTake + 1 : 0
        guard turnToTake > 0 else { return admit(descriptor, peer: peer, isLocal: isLocal) }
        mates[turnToTake - 1].post { $0.admit(descriptor, peer: peer, isLocal: isLocal) }
    }

    private func admit(_ descriptor: Int32, peer: String, isLocal: Bool) {
        guard let context, !isStopping, connections.count < connectionLimit else {
            ConnectionLimit.turnAway(descriptor, speaksPlain: isLocal || context?.isSecure != true)
            return
        }
        let connection = Connection(id: newID(), peer: peer, isLocal: isLocal)
        // Before it is adopted: its callbacks may come at once.
        connections[connection.id] = connection
        let secure = context.isSecure && !isLocal
        guard let wire = context.adopt(socket: descriptor, id: connection.id, secure: secure) else {
            connections[connection.id] = nil
            return
        }
        if connections[connection.id] != nil { connection.wire = wire }
    }

    /// Out of descriptors: the connection stays in the kernel's queue, and asking again at once would only spin.
    private func restAccepting() {
        guard !acceptRests else { return }
        acceptRests = true
        for listener in listeners.values { listener.wire.pause() }
        logger.warning("out of file descriptors; accepting rests for a moment")
    }

    func resumeAccepting() {
        guard acceptRests, !isStopping else { return }
        acceptRests = false
        for listener in listeners.values { listener.wire.resumeReading() }
    }

    /// The connection is gone; nothing may use its wire any more.
    func forget(_ id: UInt64) {
        if listeners.removeValue(forKey: id) != nil { return }
        guard let connection = connections.removeValue(forKey: id) else { return }
        connection.wire = nil
        let mode = connection.mode
        connection.mode = .ending
        switch mode {
        case .waiting(let exchange):
            exchanges[exchange.id] = nil
        case .link(let link):
            handOver(link)
            links[link.id] = nil
            pings.remove(link.id)
            handler.closed(link.id, on: self)
        default:
            break
        }
        finishIfEmpty()
    }
}
