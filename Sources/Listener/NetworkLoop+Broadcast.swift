extension NetworkLoop {
    /// Number of sockets that are looked up before sending begins, in the first stride and in the longest.
    static let strides = (first: 16, longest: 128)

    /// Loop thread only. Sends the same bytes to each channel. Returns the outcome of every send that the kernel did
    /// not accept completely.
    ///
    /// `ids` holds each channel once. Ascending order is the fastest: it is the order of opening, in which the kernel's
    /// state of the sockets is mostly laid out in memory. The sends are made in strides, each twice as long as the
    /// previous one, so that the first receivers on this machine wake early. Bytes that a socket does not accept are
    /// retried after all other sockets have been sent to.
    public func send(_ bytes: [UInt8], toAll ids: [ChannelID]) -> [(channel: ChannelID, outcome: SendOutcome)] {
        guard !bytes.isEmpty else { return [] }
        var left: [(channel: ChannelID, taken: Int)] = []
        var start = 0
        var stride = Self.strides.first
        while start < ids.count {
            let end = min(start + stride, ids.count)
            offer(bytes, to: ids[start..<end], leaving: &left)
            start = end
            stride = min(2 * stride, Self.strides.longest)
        }
        var outcomes: [(channel: ChannelID, outcome: SendOutcome)] = []
        for (id, taken) in left {
            let outcome = send(bytes, from: taken, to: id)
            if outcome != .sent { outcomes.append((id, outcome)) }
        }
        return outcomes
    }

    /// Sends `bytes` to the channels. If a channel accepts only a part, adds the channel and the number of accepted
    /// bytes to `left`.
    private func offer(
        _ bytes: [UInt8],
        to ids: ArraySlice<ChannelID>,
        leaving left: inout [(channel: ChannelID, taken: Int)]
    ) {
        var ready: [ChannelID] = []
        var sockets: [LWSConnection.Socket] = []
        ready.reserveCapacity(ids.count)
        sockets.reserveCapacity(ids.count)
        for id in ids {
            if let socket = readySocket(of: id) {
                ready.append(id)
                sockets.append(socket)
            } else {
                left.append((id, 0))
            }
        }
        for (id, taken) in zip(ready, sender.send(bytes, to: sockets)) where taken < bytes.count {
            left.append((id, taken))
        }
    }

    /// Returns nil if the channel must not be written to directly, or not now.
    private func readySocket(of id: ChannelID) -> LWSConnection.Socket? {
        guard let connection = channels[id], let channel = connection.channel, channel.closing == nil,
            !channel.isClosedByPeer, !channel.isChunked, !channel.isComplete, channel.backlog.isEmpty
        else { return nil }
        return connection.lws?.socket
    }
}
