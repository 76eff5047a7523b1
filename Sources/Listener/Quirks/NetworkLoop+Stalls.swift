/// Distinguishes slow readers from clients that read nothing, by what the peer's kernel acknowledges: see
/// `Quirk.hidesWriteProgress`.
extension NetworkLoop {
    /// Bytes wait for the peer. It has `stallSeconds` to take some of them.
    func awaitProgress(_ connection: Connection, _ lws: LWSConnection) {
        connection.acknowledged = lws.bytesAcknowledged ?? 0
        setDeadline(second + configuration.stallSeconds, of: connection)
        limitReading(connection, lws)
    }

    /// The peer has acknowledged bytes since `awaitProgress` or the last ping.
    func hasProgressed(_ connection: Connection, _ lws: LWSConnection) -> Bool {
        lws.bytesAcknowledged.map { $0 > connection.acknowledged } ?? false
    }

    func ping(_ id: ChannelID) {
        guard let connection = channels[id], let lws = connection.lws, case .channel(let channel) = connection.mode,
            channel.closing == nil
        else { return }
        guard channel.backlog.isEmpty else {
            // The ping would wait behind the remaining bytes. A client that takes none of them is cut off by its
            // deadline.
            pings.heard(id, now: second)
            return
        }
        connection.acknowledged = lws.bytesAcknowledged ?? 0
        guard lws.write([0x89, 0x01, 0x2e], count: 3) else {
            lws.closeSoon()
            return
        }
        limitReading(connection, lws)
    }

    /// No pong has arrived. The ping may still be behind bytes that are in transit.
    func giveUp(_ id: ChannelID) {
        guard let connection = channels[id], let lws = connection.lws else { return }
        guard lws.hasUnacknowledged, hasProgressed(connection, lws) else {
            lws.closeSoon()
            return
        }
        connection.acknowledged = lws.bytesAcknowledged ?? 0
        pings.add(id, now: second)
    }
}
