internal import Logging

extension NetworkLoop {
    /// Fewer sockets cost as much one by one.
    private static let ringWorthwhile = 4
    /// Sockets that are looked up before the first of them is sent to: at first, and at most. Each stride is twice as
    /// long as the one before.
    static let strides = (first: 16, longest: 128)

    /// Loop thread only. As `send(_:to:)` to each of `ids`; tells of those alone that did not pass all to the kernel.
    ///
    /// `ids` come once each; ascending, they are in the order in which the links were opened, as what the kernel keeps
    /// of them mostly lies in its memory. They go in strides, a short one first: the sooner the first receivers are
    /// awake, where they are on this machine. Nothing stands between the sends of a stride: a receiver slower than they
    /// follow each other stays awake, and none has to wake it. What a socket does not take waits until the others have
    /// theirs.
    public func send(_ bytes: [UInt8], toAll ids: [LinkID]) -> [(link: LinkID, outcome: SendOutcome)] {
        guard !bytes.isEmpty else { return [] }
        var left: [(link: LinkID, taken: Int)] = []
        var start = 0
        var stride = Self.strides.first
        while start < ids.count {
            let end = min(start + stride, ids.count)
            offer(bytes, to: ids[start..<end], leaving: &left)
            start = end
            stride = min(2 * stride, Self.strides.longest)
        }
        var outcomes: [(link: LinkID, outcome: SendOutcome)] = []
        for (id, taken) in left {
            let outcome = send(bytes, from: taken, to: id)
            if outcome != .sent { outcomes.append((id, outcome)) }
        }
        return outcomes
    }

    /// Adds to `left` who has not taken all, and how many of the bytes it has.
    private func offer(
        _ bytes: [UInt8],
        to ids: ArraySlice<LinkID>,
        leaving left: inout [(link: LinkID, taken: Int)]
    ) {
        var ready: [LinkID] = []
        var sockets: [Wire.Socket] = []
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
        for (id, taken) in zip(ready, offer(bytes, to: sockets)) where taken < bytes.count {
            left.append((id, taken))
        }
    }

    /// nil: not to be written to past the library, or not now.
    private func readySocket(of id: LinkID) -> Wire.Socket? {
        guard let connection = links[id], let link = connection.link, link.closing == nil, !link.isClosedByPeer,
            link.backlog.isEmpty
        else { return nil }
        return connection.wire?.socket
    }

    /// How many of the bytes each has taken.
    private func offer(_ bytes: [UInt8], to sockets: [Wire.Socket]) -> [Int] {
        offer(sockets.count) { $0.offer(bytes, to: sockets) } ?? sockets.map { $0.offer(bytes) }
    }

    /// What `sends`, as many as `count`, come to by the ring. nil: there is none, or they are too few.
    func offer(_ count: Int, _ sends: (SendRing) -> [Int]) -> [Int]? {
        guard let ring = sendRing, count >= Self.ringWorthwhile else { return nil }
        let taken = sends(ring)
        if ring.isBroken {
            sendRing = nil
            logger.warning("io_uring has failed: each socket is sent to by a system call of its own")
        }
        return taken
    }
}
