/// Divides a bounded queue among its senders: dynamic thresholds (Choudhury and Hahne, IEEE/ACM Transactions on
/// Networking 6(2), 1998).
///
/// A sender may hold as much as is still free: up to half of the queue if it is alone, up to 1/(n+1) each if n senders
/// want more. So there is always room for another sender. Bytes and pieces are both bounded.
public struct FairShare<Sender: Hashable & Sendable>: Sendable {
    private struct Load {
        var bytes = 0
        var pieces = 0
    }

    private let limit: Load
    private var total = Load()
    /// Only senders that hold something.
    private var held: [Sender: Load] = [:]

    public init(bytes: Int, pieces: Int) {
        limit = Load(bytes: bytes, pieces: pieces)
    }

    /// Whether a piece of so many bytes would be taken now. An empty queue takes a piece of any size.
    public func hasRoom(for bytes: Int, from sender: Sender) -> Bool {
        guard total.pieces > 0 else { return true }
        let own = held[sender] ?? Load()
        return own.bytes + bytes <= limit.bytes - total.bytes && own.pieces + 1 <= limit.pieces - total.pieces
    }

    /// True: the caller must give it back once. False: nothing was taken.
    public mutating func take(_ bytes: Int, from sender: Sender) -> Bool {
        guard hasRoom(for: bytes, from: sender) else { return false }
        total.bytes += bytes
        total.pieces += 1
        var own = held[sender] ?? Load()
        own.bytes += bytes
        own.pieces += 1
        held[sender] = own
        return true
    }

    /// Adds bytes to a piece that was taken. False: nothing was added. A piece that is alone may grow to any size.
    public mutating func grow(by bytes: Int, from sender: Sender) -> Bool {
        guard var own = held[sender] else { return false }
        guard total.pieces == 1 || own.bytes + bytes <= limit.bytes - total.bytes else { return false }
        total.bytes += bytes
        own.bytes += bytes
        held[sender] = own
        return true
    }

    public mutating func giveBack(_ bytes: Int, to sender: Sender) {
        guard var own = held[sender] else { return }
        total.bytes -= bytes
        total.pieces -= 1
        own.bytes -= bytes
        own.pieces -= 1
        held[sender] = own.pieces > 0 ? own : nil
    }

    public var senders: Int { held.count }
    public var heldBytes: Int { total.bytes }
}
