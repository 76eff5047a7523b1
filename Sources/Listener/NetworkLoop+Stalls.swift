/// Telling slow readers from those that read nothing, by what the peer's kernel acknowledges: libwebsockets says only
/// when all of a write has left, and one large frame may take a slow link minutes.
extension NetworkLoop {
    /// Bytes wait for the peer: it has `stallSeconds` to take some of them.
    func awaitProgress(_ connection: Connection, _ wire: Wire) {
        connection.acknowledged = wire.bytesAcknowledged ?? 0
        setDeadline(second + configuration.stallSeconds, of: connection)
        limitReading(connection, wire)
    }

    /// The peer has taken something since `awaitProgress` or the last ping.
    func hasProgressed(_ connection: Connection, _ wire: Wire) -> Bool {
        wire.bytesAcknowledged.map { $0 > connection.acknowledged } ?? false
    }

    func ping(_ id: LinkID) {
        guard let connection = links[id], let wire = connection.wire, case .link(let link) = connection.mode,
            link.closing == nil
        else { return }
        guard link.backlog.isEmpty else {
            // It would wait behind the rest; who takes nothing of that is cut off for it.
            pings.heard(id, now: second)
            return
        }
        connection.acknowledged = wire.bytesAcknowledged ?? 0
        guard wire.write([0x89, 0x01, 0x2e], count: 3) else {
            wire.closeSoon()
            return
        }
        limitReading(connection, wire)
    }

    /// No pong has come. While the kernel still has bytes on their way, the ping may be behind them.
    func giveUp(_ id: LinkID) {
        guard let connection = links[id], let wire = connection.wire else { return }
        guard wire.hasUnacknowledged, hasProgressed(connection, wire) else {
            wire.closeSoon()
            return
        }
        connection.acknowledged = wire.bytesAcknowledged ?? 0
        pings.add(id, now: second)
    }
}
