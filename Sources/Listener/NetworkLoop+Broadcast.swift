internal import Logging

extension NetworkLoop {
    /// Fewer sockets cost as much one by one.
    private static let ringWorthwhile = 4
    /// How many sockets are looked up before the first of them is sent to: each time twice as many.
    private static let strides = (first: 16, longest: 128)

    /// Loop thread only. As `send(_:to:)` to each of `ids`; tells of those alone that did not pass all to the kernel.
    ///
    /// `ids` come once each; ascending, they are in the order in which the links were opened, as what the kernel keeps
    /// of them mostly lies in its memory. They go in strides, a short one first: the sooner it has its bytes, the
    /// sooner a receiver on this machine is awake. Nothing stands between the sends of a stride, so that one that is
    /// slower than they follow each other stays awake and none has to wake it.
    public func send(_ bytes: [UInt8], toAll ids: [LinkID]) -> [(link: LinkID, outcome: SendOutcome)] {
        guard !bytes.isEmpty else { return [] }
        var outcomes: [(link: LinkID, outcome: SendOutcome)] = []
        var rest = ids[...]
        var stride = Self.strides.first
        while !rest.isEmpty {
            send(bytes, toStride: rest.prefix(stride), tellingOf: &outcomes)
            rest = rest.dropFirst(stride)
            stride = min(2 * stride, Self.strides.longest)
        }
        return outcomes
    }

    private func send(
        _ bytes: [UInt8],
        toStride ids: ArraySlice<LinkID>,
        tellingOf outcomes: inout [(link: LinkID, outcome: SendOutcome)]
    ) {
        var ready: [LinkID] = []
        var sockets: [Wire.Socket] = []
        ready.reserveCapacity(ids.count)
        sockets.reserveCapacity(ids.count)
        var rest: [(link: LinkID, taken: Int)] = []
        for id in ids {
            if let socket = readySocket(of: id) {
                ready.append(id)
                sockets.append(socket)
            } else {
                rest.append((id, 0))
            }
        }
        for (id, taken) in zip(ready, offer(bytes, to: sockets)) where taken < bytes.count {
            rest.append((id, taken))
        }
        for (id, taken) in rest {
            let outcome = send(bytes, from: taken, to: id)
            if outcome != .sent { outcomes.append((id, outcome)) }
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
