/// Divides a bounded queue among its senders: dynamic thresholds (Choudhury and Hahne, IEEE/ACM Transactions on
/// Networking 6(2), 1998).
///
/// A sender may hold as much as is still free. A single sender gets up to half of the queue; if n senders want more,
/// each gets up to 1/(n+1). So there is always room for another sender. Both bytes and pieces are bounded.
package struct FairShare<Sender: Hashable & Sendable>: Sendable {
    private struct Load {
        var bytes = 0
        var pieces = 0
    }

    private let limit: Load
    private var total = Load()
    /// Contains only senders that hold something.
    private var held: [Sender: Load] = [:]

    package init(bytes: Int, pieces: Int) {
        limit = Load(bytes: bytes, pieces: pieces)
    }

    /// Whether a piece of this size would be accepted now. An empty queue accepts a piece of any size.
    package func hasRoom(for bytes: Int, from sender: Sender) -> Bool {
        guard total.pieces > 0 else { return true }
        let own = held[sender] ?? Load()
        return own.bytes + bytes <= limit.bytes - total.bytes && own.pieces + 1 <= limit.pieces - total.pieces
    }

    /// If this returns true, the caller must give the piece back once. If it returns false, nothing was taken.
    package mutating func take(_ bytes: Int, from sender: Sender) -> Bool {
        guard hasRoom(for: bytes, from: sender) else { return false }
        restore(bytes, to: sender)
        return true
    }

    /// Takes back a piece that was given back just before, even if it exceeds the sender's share by now.
    package mutating func restore(_ bytes: Int, to sender: Sender) {
        total.bytes += bytes
        total.pieces += 1
        var own = held[sender] ?? Load()
        own.bytes += bytes
        own.pieces += 1
        held[sender] = own
    }

    /// Adds bytes to a piece that was taken. Returns false if nothing was added. A piece that is alone may grow to any
    /// size.
    package mutating func grow(by bytes: Int, from sender: Sender) -> Bool {
        guard var own = held[sender] else { return false }
        guard total.pieces == 1 || own.bytes + bytes <= limit.bytes - total.bytes else { return false }
        total.bytes += bytes
        own.bytes += bytes
        held[sender] = own
        return true
    }

    package mutating func giveBack(_ bytes: Int, to sender: Sender) {
        guard var own = held[sender] else { return }
        total.bytes -= bytes
        total.pieces -= 1
        own.bytes -= bytes
        own.pieces -= 1
        held[sender] = own.pieces > 0 ? own : nil
    }

    package var senders: Int { held.count }
    package var heldBytes: Int { total.bytes }
}
