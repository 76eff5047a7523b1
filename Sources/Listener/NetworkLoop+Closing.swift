/// The closing handshake (RFC 6455 section 7.1), and what becomes of input that nobody wants any more.
///
/// A socket that is closed while input waits in it is reset by the kernel, and the reset overtakes what the client has
/// not read yet: it would never learn why it was turned away. So input is read and dropped until the client ends, for
/// a bounded time and number of bytes. The loop writes the close frame itself: what comes behind one that libwebsockets
/// wrote is not told to anybody, so it could not be counted.
extension NetworkLoop {
    /// A masked frame's head: what a piece costs besides its payload.
    private static let frameHeadBytes = 6

    /// Loop thread only. What waits is sent first; a peer that does not take it is cut off after `closeSeconds`.
    /// `closed` follows when the close frame has left. On a stream the response just ends. At most 123 bytes of reason
    /// are sent.
    public func close(_ id: LinkID, code: UInt16, reason: String) {
        guard let connection = links[id], let wire = connection.wire, case .link(let link) = connection.mode,
            link.closing == nil, !link.isClosedByPeer
        else { return }
        link.closing = (code, reason)
        link.message = []
        link.held = HeldMessages()
        connection.dropBudget = configuration.closeDropBytes
        setDeadline(second + configuration.closeSeconds, of: connection)
        // At once: a client's end that comes in the same turn as its flood closes before "writeable" is said.
        if link.backlog.isEmpty, !sayClose(link, wire) {
            wire.closeSoon(gently: false)
            return
        }
        wire.askWriteable()
    }

    /// False: the connection is broken. A stream's end is the connection's.
    func sayClose(_ link: Link, _ wire: Wire) -> Bool {
        guard let closing = link.closing, link.kind == .socket, !link.hasSaidClose else { return true }
        link.hasSaidClose = true
        let frame = CloseFrame.bytes(code: closing.code, reason: closing.reason)
        return wire.write(frame, count: frame.count)
    }

    /// The close frame is with the kernel: the link is over, its connection stays until the peer ends.
    func leave(_ link: Link, _ connection: Connection) {
        links[link.id] = nil
        pings.remove(link.id)
        connection.mode = .draining
        setDeadline(second + (isStopping ? 1 : configuration.closeSeconds), of: connection)
        handler.closed(link.id, on: self)
    }

    /// The result is for the callback that is running.
    func drop(_ count: Int, _ connection: Connection) -> Int32 {
        connection.dropBudget -= count
        return connection.dropBudget > 0 ? 0 : -1
    }

    /// A piece of a WebSocket's message.
    func dropPiece(_ bytes: BorrowedBytes, _ connection: Connection) -> Int32 {
        drop(bytes.count + Self.frameHeadBytes, connection)
    }

    /// A close frame. The first one is answered by the library: nothing that comes later counts, and nothing goes out
    /// behind the answer (RFC 6455 section 5.5.1). The answer to ours ends the connection.
    func peerClosed(_ connection: Connection, _ wire: Wire) -> Int32 {
        guard case .link(let link) = connection.mode else { return -1 }
        handOver(link)
        guard link.closing != nil else {
            link.isClosedByPeer = true
            return 0
        }
        // Both at once: ours says why.
        _ = sayClose(link, wire)
        return -1
    }
}

enum CloseFrame {
    /// As a server sends it: a control frame carries at most 125 bytes (RFC 6455 section 5.5).
    static func bytes(code: UInt16, reason: String) -> [UInt8] {
        let text = reason.utf8.prefix(123)
        return [0x88, UInt8(2 + text.count), UInt8(code >> 8), UInt8(code & 255)] + text
    }
}
