/// Reading on request: see `Quirk.pollsUnreadInput` and `Quirk.hidesTheEndWhileUnread`.
extension NetworkLoop {
    /// Switches reading off while more has arrived than can be used, or while the library holds output. Beyond one head
    /// and one piece of a body, what the peer then sends stays in the kernel.
    func limitReading(_ connection: Connection, _ lws: LWSConnection) {
        let isFull = connection.reader.count > configuration.maxHeaderBytes || lws.hasBacklog
        guard isFull != connection.isReadingPaused else { return }
        connection.isReadingPaused = isFull
        if isFull { unreadConnections.insert(connection.id) } else { unreadConnections.remove(connection.id) }
        lws.setReading(!isFull)
    }

    /// Once a second. Closes the connections whose peer has ended unnoticed.
    ///
    /// Skips connections for which the loop has something to send: a client that has shut down its side may still be
    /// reading an answer.
    func closeAbandoned() {
        for id in unreadConnections {
            guard let connection = connections[id], let lws = connection.lws, connection.isQuiet, lws.isEndedByPeer
            else {
                continue
            }
            lws.closeSoon()
        }
    }
}

extension Connection {
    /// The handler has not yet given the answer, or the next piece of it.
    fileprivate var isQuiet: Bool {
        switch mode {
        case .waiting: true
        case .channel(let channel): !channel.isSocket && channel.backlog.isEmpty
        default: false
        }
    }
}
